import type { QueryResult } from '../../../protocol/query.ts';
import type { Table } from '../../score/rows.ts';
import { rowKey } from '../../score/rows.ts';
import { countKeys, strictKey } from '../../score/strict-ex.ts';

/** Rows of a result that are looked at: a distance is a hint. */
const MOST_ROWS = 2_000;

/** Share of two bags of keys that they have in common, of the larger one. */
function overlap(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 && other.length === 0) return 1;
  const counts = countKeys(one);
  let common = 0;
  for (const key of other) {
    const left = counts.get(key) ?? 0;
    if (left > 0) common++;
    counts.set(key, left - 1);
  }
  return common / Math.max(one.length, other.length);
}

/** How far results are from the gold's, which is prepared once. */
export class ResultDistance {
  readonly #gold: Table;
  readonly #columns: string[][];
  readonly #rows: string[];

  constructor(gold: Table) {
    this.#gold = gold;
    const rows = gold.rows.slice(0, MOST_ROWS);
    this.#columns = gold.columns.map((_, index) => rows.map((row) => strictKey(row[index] ?? null)));
    this.#rows = rows.map((row) => rowKey(row, strictKey));
  }

  /**
   * From 0 (the same bag of rows) to 4: columns too many or too few, another number of rows, rows that differ, columns of
   * which no one holds the same values. Infinity for what did not run.
   */
  of({ status, columns, rows }: Pick<QueryResult, 'status' | 'columns' | 'rows'>): number {
    if (status !== 'ok') return Number.POSITIVE_INFINITY;
    const [goldWidth, goldHeight] = [this.#gold.columns.length, this.#gold.rows.length];
    const width = Math.min(1, Math.abs(columns.length - goldWidth) / goldWidth);
    const height = Math.min(1, Math.abs(Math.log((rows.length + 1) / (goldHeight + 1))) / 3);
    const seen = rows.slice(0, MOST_ROWS);
    const same =
      columns.length === goldWidth
        ? overlap(
            this.#rows,
            seen.map((row) => rowKey(row, strictKey)),
          )
        : 0;
    const keys = columns.map((_, index) => seen.map((row) => strictKey(row[index] ?? null)));
    const best = this.#columns.map((gold) => Math.max(0, ...keys.map((own) => overlap(gold, own))));
    const matched = best.reduce((sum, share) => sum + share, 0) / Math.max(1, goldWidth);
    return width + height + (1 - same) + (1 - matched);
  }
}
