import type { ItemRecord } from '../../protocol/eval.ts';
import type { Outcome } from '../../protocol/ledger.ts';
import type { RunSnapshot } from '../../runtime/trainer/run-reader.ts';
import type { RunEntry } from './entry.ts';
import type { RunGroup } from './groups.ts';
import { OUTCOME_ORDER } from './look.ts';

/** One line of the Runs view. */
export type RunNode =
  | { kind: 'group'; group: RunGroup }
  | { kind: 'run'; run: RunEntry; group: RunGroup }
  | { kind: 'outcome'; run: RunEntry; outcome: Outcome; count: number }
  /** Some of many items: `first` and `last` count from 1. */
  | { kind: 'range'; run: RunEntry; outcome: Outcome; first: number; last: number }
  | { kind: 'item'; run: RunEntry; record: ItemRecord }
  /** The training runs of this window, and one of them. */
  | { kind: 'trainings' }
  | { kind: 'training'; snapshot: RunSnapshot }
  | { kind: 'problem'; message: string };

/** Items that stand below one line; of more, ranges do. */
const RANGE = 100;

/** What stands below a run: its outcomes. */
export function outcomeNodes(run: RunEntry, outcomes: Partial<Record<Outcome, number>>): RunNode[] {
  return OUTCOME_ORDER.flatMap((outcome): RunNode[] => {
    const count = outcomes[outcome] ?? 0;
    return count === 0 ? [] : [{ kind: 'outcome', run, outcome, count }];
  });
}

const itemNodes = (run: RunEntry, records: readonly ItemRecord[]): RunNode[] =>
  records.map((record) => ({ kind: 'item', run, record }));

/** What stands below an outcome: its items, or ranges of them where they are many. */
export function belowOutcome(run: RunEntry, outcome: Outcome, records: readonly ItemRecord[]): RunNode[] {
  const items = records.filter((record) => record.outcome === outcome);
  if (items.length <= RANGE) return itemNodes(run, items);
  return Array.from({ length: Math.ceil(items.length / RANGE) }, (_, index): RunNode => {
    const last = Math.min(items.length, (index + 1) * RANGE);
    return { kind: 'range', run, outcome, first: index * RANGE + 1, last };
  });
}

/** What stands below a range. */
export function belowRange(node: Extract<RunNode, { kind: 'range' }>, records: readonly ItemRecord[]): RunNode[] {
  const items = records.filter(({ outcome }) => outcome === node.outcome);
  return itemNodes(node.run, items.slice(node.first - 1, node.last));
}
