import type { LinePlace } from '../../core/debug/lines.ts';
import { type Step, stageOf, stepsOf } from '../../core/debug/step.ts';
import { cellWords } from '../../core/debug/words.ts';
import type { Divergence, NestedPlace } from '../../core/diagnose/divergence/divergence.ts';
import type { TracePlan } from '../../core/diagnose/trace/plan.ts';
import type { CancelSignal } from '../../core/ports.ts';
import { cellText } from '../../protocol/cell-text.ts';
import type { Diagnosis, TrailRow } from '../../protocol/diagnosis.ts';
import type { JsonCell } from '../../protocol/value.ts';
import type { Debuggee, Side } from './debuggee.ts';
import { holds } from './evaluate.ts';

/** What a session can stop at besides breakpoints. */
export const EXCEPTION_FILTERS = [
  {
    filter: 'rows_diverge',
    label: 'Rows diverge from gold',
    description: 'Stops at the first clause whose rows are not those of the gold.',
    default: true,
    supportsCondition: true,
    conditionDescription: 'A condition on the rows of the step, in SQL, e.g. count(*) > 10',
  },
  {
    filter: 'no_rows',
    label: 'Clause yields no rows',
    description: 'Stops at a clause after which no row is left.',
    default: false,
    supportsCondition: true,
    conditionDescription: 'A condition on the rows of the step, in SQL, e.g. count(*) = 0',
  },
] as const;
export type ExceptionFilter = (typeof EXCEPTION_FILTERS)[number]['filter'];

/** Why a session stopped by itself. */
export interface Exception {
  /** `does_not_run`: the query fails there, which always stops it. */
  readonly filter: ExceptionFilter | 'does_not_run';
  readonly description: string;
  /** More, a line each. */
  readonly details: readonly string[];
}

/** Rows that are told of a divergence on each side. */
const MOST_TOLD = 5;

/** The exception breakpoints that are on. */
export class Exceptions {
  #on = new Map<string, string | null>();

  /** @param options by filter, where they have a condition */
  set(filters: readonly string[], options: readonly { filterId: string; condition?: string | undefined }[]): void {
    this.#on = new Map(filters.map((filter) => [filter, null]));
    for (const { filterId, condition } of options) this.#on.set(filterId, condition?.trim() || null);
  }

  /** What a session stops for at a step; null for nothing. @throws AppError `cancelled`, or for a wrong condition */
  async at(debuggee: Debuggee, side: Side, step: Step, signal: CancelSignal): Promise<Exception | null> {
    for (const [filter, condition] of this.#on) {
      const found =
        filter === 'rows_diverge'
          ? await diverges(debuggee, side, step, signal)
          : filter === 'no_rows'
            ? await isEmptied(debuggee, step, signal)
            : null;
      if (found === null) continue;
      if (condition === null || (await holds(debuggee, stageOf(step), condition, signal))) return found;
    }
    return null;
  }
}

/** That a query does not run, at the clause where it fails; null at any other. */
export function failureOf(debuggee: Debuggee, step: Step, places: (offset: number) => LinePlace): Exception | null {
  const failure = debuggee.failureAt(step);
  if (failure === null) return null;
  const at = failure.offset === null ? null : places(failure.offset);
  const place = at === null ? '' : ` (line ${at.line}, column ${at.column})`;
  return { filter: 'does_not_run', description: `The query does not run${place}: ${failure.message}`, details: [] };
}

async function diverges(debuggee: Debuggee, side: Side, step: Step, signal: CancelSignal): Promise<Exception | null> {
  const parting = await debuggee.parting(signal);
  if (parting === null || parting.diagnosis.verdict !== 'different') return null;
  const { divergence, diagnosis } = parting;
  if (!isPartingAt(step, side, divergence)) return null;
  return { filter: 'rows_diverge', description: diagnosis.sentence, details: trailLines(diagnosis) };
}

/** Whether two queries part at a step; where it cannot be told where, at the last clause. */
function isPartingAt(step: Step, side: Side, divergence: Divergence | null): boolean {
  if (divergence === null) return step.outer === null && step.index === step.plan.stages.length - 1;
  const { predIndex, goldIndex, inside } = divergence;
  const indexes = [{ predIndex, goldIndex }, ...inside].map((place) =>
    side.thread === 1 ? place.predIndex : place.goldIndex,
  );
  const levels = stepsOf(step).reverse();
  return (
    levels.length === indexes.length &&
    levels.every(({ index, plan }, depth) => index === indexes[depth] && isPlanOf(plan, side, inside[depth - 1]))
  );
}

function isPlanOf({ text, range }: TracePlan, side: Side, place: NestedPlace | undefined): boolean {
  if (place === undefined) return true;
  const nested = side.thread === 1 ? place.pred : place.gold;
  return nested.text === text && nested.range.offset === range.offset;
}

function trailLines({ missing, extra, totals }: Diagnosis): string[] {
  const lines = (title: string, rows: readonly TrailRow[], total: number) => {
    if (rows.length === 0) return [];
    const told = rows.slice(0, MOST_TOLD).map((row) => `  ${trailWords(row)}`);
    const more = total > told.length ? [`  … ${total - told.length} more`] : [];
    return [`${title} (${total}):`, ...told, ...more];
  };
  return [...lines('Missing', missing, totals.missing), ...lines('Too many', extra, totals.extra)];
}

function trailWords({ cells, dies, conjuncts }: TrailRow): string {
  const row = cells.map(({ name, value }) => `${name} ${jsonWords(value)}`);
  const failed = conjuncts.filter(({ truth }) => truth !== 'true').map(({ text, truth }) => `${text} is ${truth}`);
  const end = dies === null ? '' : ` · dies at ${dies.clause}${failed.length === 0 ? '' : `: ${failed.join(', ')}`}`;
  return `${row.join(', ')}${end}`;
}

function jsonWords(value: JsonCell): string {
  return typeof value === 'string' ? cellWords(value) : (cellText(value) ?? 'NULL');
}

/** Only where the rows end, not at all the clauses behind. */
async function isEmptied(debuggee: Debuggee, step: Step, signal: CancelSignal): Promise<Exception | null> {
  if ((await debuggee.count(step, signal)) !== 0) return null;
  const { plan, index } = step;
  const before = index === 0 ? null : await debuggee.count({ plan, index: index - 1 }, signal);
  if (before === 0) return null;
  const { label } = stageOf(step);
  const lost = before === null ? '' : ` ${before.toLocaleString('en-US')} row${before === 1 ? '' : 's'} came to it.`;
  return { filter: 'no_rows', description: `No row is left after ${label}.${lost}`, details: [] };
}
