import { cellWords } from '../../core/debug/words.ts';
import type { Correlation, OuterKey, TracePlan } from '../../core/diagnose/trace/plan.ts';
import type { CancelSignal } from '../../core/ports.ts';
import type { Cell } from '../../protocol/value.ts';
import type { Debuggee } from './debuggee.ts';

/** A row of the outer query, as words and as its keys. */
export interface OuterRowChoice {
  readonly words: string;
  readonly row: readonly OuterKey[];
}

/** The rows for which correlated subqueries are shown. */
export class OuterRows {
  readonly #chosen = new WeakMap<TracePlan, OuterRowChoice>();

  /** The first rows of the outer query for which a subquery can be shown; none where it is not correlated. */
  async choices(debuggee: Debuggee, { correlation }: TracePlan, most: number, signal: CancelSignal) {
    if (correlation === null) return [];
    const { rows } = await debuggee.rows(`${correlation.keysSql} LIMIT ${most}`, most, signal);
    return rows.map((row) => choiceOf(correlation, row));
  }

  /** The same subquery for a chosen row. */
  bind(plan: TracePlan, choice: OuterRowChoice): TracePlan {
    const bound = plan.correlation?.bind(choice.row) ?? plan;
    this.#chosen.set(bound, choice);
    return bound;
  }

  /** The row that a subquery is shown for; null where there is none. @throws AppError `cancelled` */
  async current(debuggee: Debuggee, plan: TracePlan, signal: CancelSignal): Promise<OuterRowChoice | null> {
    return this.#chosen.get(plan) ?? (await this.choices(debuggee, plan, 1, signal))[0] ?? null;
  }
}

function choiceOf({ keys }: Correlation, row: readonly Cell[]): OuterRowChoice {
  let at = 0;
  const outer = keys.map(({ alias, expressions }): OuterKey => {
    const key = row.slice(at, at + expressions.length);
    at += expressions.length;
    return { alias, key };
  });
  const words = keys.flatMap(({ alias, columns, kind }, index) =>
    columns.map((column, place) => {
      const name = kind === 'group' || alias === '' ? column : `${alias}.${column}`;
      return `${name} = ${cellWords(outer[index]?.key[place] ?? null)}`;
    }),
  );
  return { words: words.join(', '), row: outer };
}
