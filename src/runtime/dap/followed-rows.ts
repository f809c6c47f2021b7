import { type FollowedKey, isThereSql } from '../../core/debug/followed-row.ts';
import { type HitTest, hitTest } from '../../core/debug/hit-count.ts';
import { type Step, stageOf } from '../../core/debug/step.ts';
import { cellWords } from '../../core/debug/words.ts';
import type { StagePlan, TracePlan } from '../../core/diagnose/trace/plan.ts';
import type { CancelSignal } from '../../core/ports.ts';
import type { Breakpoint } from '../../protocol/dap.ts';
import type { Debuggee } from './debuggee.ts';
import { holds } from './evaluate.ts';
import type { Followable } from './variables.ts';

interface FollowedRow {
  readonly description: string;
  readonly keys: readonly FollowedKey[];
  readonly plan: TracePlan;
}

interface DataBreakpoint {
  readonly id: number;
  readonly row: FollowedRow;
  readonly condition: string | null;
  readonly counts: HitTest | null;
  hits: number;
}

/** A row that is gone. */
export interface Disappearance {
  readonly id: number;
  readonly description: string;
}

/** Rows that are followed, to stop where they disappear. */
export class FollowedRows {
  readonly #known = new Map<string, FollowedRow>();
  #set: DataBreakpoint[] = [];
  #lastId = 0;

  /** Makes a row known, so that a breakpoint can be set on it. */
  know({ plan }: Step, keys: readonly FollowedKey[]): Followable {
    const description = keys
      .flatMap(({ alias, columns, cells }) =>
        columns.map((column, index) => `${alias}.${column} = ${cellWords(cells[index] ?? null)}`),
      )
      .join(', ');
    const dataId = `${plan.range.offset}: ${description}`;
    this.#known.set(dataId, { description, keys, plan });
    return { dataId, description };
  }

  /** Replaces all breakpoints on rows. */
  set(wanted: readonly { dataId: string; condition?: string | undefined; hitCondition?: string | undefined }[]) {
    this.#set = [];
    return wanted.map(({ dataId, condition, hitCondition }): Breakpoint => {
      // Their numbers do not meet those of breakpoints on clauses.
      const id = 1_000_000 + ++this.#lastId;
      const row = this.#known.get(dataId);
      if (row === undefined) return { id, verified: false, message: 'The row is not known any more. Choose it again.' };
      const counts = hitCondition === undefined ? null : hitTest(hitCondition);
      this.#set.push({ id, row, condition: condition?.trim() || null, counts, hits: 0 });
      return { id, verified: true, message: `Stops where ${row.description} disappears.` };
    });
  }

  /** The rows that were there before the clause of a step and are not after it. @throws AppError `cancelled` */
  async goneAt(debuggee: Debuggee, step: Step, signal: CancelSignal): Promise<Disappearance[]> {
    const gone: Disappearance[] = [];
    const before = step.plan.stages[step.index - 1];
    if (before === undefined) return gone;
    for (const breakpoint of this.#set) {
      const { row, condition, counts } = breakpoint;
      // Of another plan of the same text, too: a restart plans anew.
      if (row.plan.text !== step.plan.text || row.plan.range.offset !== step.plan.range.offset) continue;
      if ((await isThere(debuggee, stageOf(step), row, signal)) !== false) continue;
      if ((await isThere(debuggee, before, row, signal)) !== true) continue;
      if (condition !== null && !(await holds(debuggee, stageOf(step), condition, signal))) continue;
      breakpoint.hits++;
      if (counts !== null && !counts(breakpoint.hits)) continue;
      gone.push({ id: breakpoint.id, description: `${row.description} is gone after ${stageOf(step).label}` });
    }
    return gone;
  }
}

/** null: it cannot be told. */
async function isThere(debuggee: Debuggee, stage: StagePlan, { keys }: FollowedRow, signal: CancelSignal) {
  const sql = isThereSql(stage, keys);
  return sql === null ? null : (await debuggee.rows(sql, 1, signal)).rows.length > 0;
}
