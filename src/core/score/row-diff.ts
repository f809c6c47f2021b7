import type { RowCount, RowDiff } from '../../protocol/score.ts';
import { toJsonCell } from '../../protocol/value.ts';
import { type Row, type Rows, rowKey, sameRows, type Table } from './rows.ts';
import { shortCell } from './short-cell.ts';
import { strictKey } from './strict-ex.ts';

export interface DiffOptions {
  /** Whether the order of rows counts. */
  ordered: boolean;
  /** Most rows of each list. */
  maxRows: number;
  /** Most UTF-16 units of each list's JSON. Texts and blobs that take more than a fair share are cut. */
  maxBytes: number;
}

interface Counted {
  row: Row;
  gold: number;
  pred: number;
}

/** So many rows of average cells should fit into a list. */
const ROWS_TO_FIT = 4;

const SHORTEST_CELL = 16;

/** Counts every different row of both results, in the order of appearance: the gold's first. */
function countRows(gold: Rows, pred: Rows): { counted: Iterable<Counted>; inOrder: boolean } {
  const counts = new Map<string, Counted>();
  const goldKeys = gold.map((row) => rowKey(row, strictKey));
  for (const [index, key] of goldKeys.entries()) {
    const known = counts.get(key);
    if (known) known.gold++;
    else counts.set(key, { row: gold[index] ?? [], gold: 1, pred: 0 });
  }
  let inOrder = gold.length === pred.length;
  for (const [index, row] of pred.entries()) {
    const key = rowKey(row, strictKey);
    if (key !== goldKeys[index]) inOrder = false;
    const known = counts.get(key);
    if (known) known.pred++;
    else counts.set(key, { row, gold: 0, pred: 1 });
  }
  return { counted: counts.values(), inOrder };
}

/** A list of rows that ends before it would pass its limits, and the number of all rows that were to be in it. */
class CutList {
  readonly rows: RowCount[] = [];
  total = 0;
  readonly #maxRows: number;
  #left: number;
  readonly #maxCell: number;

  constructor({ maxRows, maxBytes }: DiffOptions, width: number) {
    this.#maxRows = maxRows;
    this.#left = maxBytes;
    this.#maxCell = Math.max(SHORTEST_CELL, Math.floor(maxBytes / ROWS_TO_FIT / Math.max(1, width)));
  }

  add({ row, gold, pred }: Counted): void {
    this.total += Math.abs(gold - pred);
    if (this.rows.length >= this.#maxRows || this.#left <= 0) return;
    const entry = { row: row.map((cell) => toJsonCell(shortCell(cell, this.#maxCell))), gold, pred };
    this.#left -= JSON.stringify(entry).length;
    // Nothing may follow a row that was left out: the list is the beginning of the whole.
    if (this.#left >= 0) this.rows.push(entry);
  }
}

/**
 * The rows in which two results differ under the equality of `strict_ex`, columns by position. Each list has every
 * different row once, in the order of appearance, and is cut at `maxRows` and `maxBytes`; a total is the number of rows
 * that one result has more often than the other.
 */
export function diffRows(gold: Table, pred: Table, options: DiffOptions): RowDiff {
  const width = Math.max(gold.columns.length, pred.columns.length);
  const missing = new CutList(options, width);
  const extra = new CutList(options, width);
  const recounted = new CutList(options, width);
  let isReordered = false;
  if (!sameRows(gold.rows, pred.rows)) {
    const { counted, inOrder } = countRows(gold.rows, pred.rows);
    for (const count of counted) {
      if (count.gold === count.pred) continue;
      const list = count.pred === 0 ? missing : count.gold === 0 ? extra : recounted;
      list.add(count);
    }
    isReordered = options.ordered && !inOrder && missing.total + extra.total + recounted.total === 0;
  }
  return {
    goldColumns: [...gold.columns],
    predColumns: [...pred.columns],
    goldRows: gold.rows.length,
    predRows: pred.rows.length,
    missing: missing.rows,
    extra: extra.rows,
    recounted: recounted.rows,
    totals: { missing: missing.total, extra: extra.total, recounted: recounted.total },
    reordered: isReordered,
  };
}
