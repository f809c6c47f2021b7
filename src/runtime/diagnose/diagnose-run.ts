import { type DiagnosedItem, type WhatGoesWrong, whatGoesWrong } from '../../core/evals/report/what-goes-wrong.ts';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import type { Diagnosis } from '../../protocol/diagnosis.ts';
import { AppError } from '../../protocol/errors.ts';
import type { ItemRecord } from '../../protocol/eval.ts';
import { Diagnoser } from './diagnose.ts';
import type { RunItems } from './run-items.ts';

/** Items diagnosed at the same time. */
const AT_ONCE = 2;

/** The items of a run that are not right though their gold is. */
export function failingOf(records: readonly ItemRecord[]): ItemRecord[] {
  return records.filter(({ outcome }) => outcome !== 'right' && outcome !== 'gold_failed');
}

/**
 * Diagnoses the failing items of a run, without looking for repairs, and counts their errors.
 * @throws AppError `cancelled` when `signal` aborts
 */
export async function diagnoseRun(
  sandbox: Sandbox,
  items: RunItems,
  records: readonly ItemRecord[],
  onDone: () => void,
  signal?: CancelSignal,
): Promise<WhatGoesWrong> {
  const failing = failingOf(records);
  const diagnoser = new Diagnoser({ sandbox });
  const found: DiagnosedItem[] = failing.map(({ id }) => ({ id, diagnosis: 'It was not reached.' }));
  let next = 0;
  const work = async () => {
    for (let at = next++; at < failing.length; at = next++) {
      const record = failing[at];
      if (record === undefined) return;
      found[at] = { id: record.id, diagnosis: await diagnoseItem(diagnoser, items, record.id, signal) };
      onDone();
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return whatGoesWrong(found);
  } finally {
    diagnoser.dispose();
  }
}

/** The diagnosis of an item, or why there is none. */
async function diagnoseItem(
  diagnoser: Diagnoser,
  items: RunItems,
  id: string,
  signal?: CancelSignal,
): Promise<Diagnosis | string> {
  try {
    const { record, pred, db } = await items.item(id);
    return await diagnoser.diagnose({ db, gold: record.gold, pred, repair: false }, signal);
  } catch (error) {
    if (error instanceof AppError && error.code !== 'cancelled') return error.message;
    throw error;
  }
}
