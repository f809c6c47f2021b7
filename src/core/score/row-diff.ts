import type { RowCount, RowDiff } from '../../protocol/score.ts';
import { toJsonCell } from '../../protocol/value.ts';
import { type PairedRows, pairRows } from './row-index.ts';
import { type Row, type Rows, sameRows, type Table } from './rows.ts';
import { shortCell } from './short-cell.ts';
import { strictForm } from './strict-ex.ts';

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

/** The rows that stand another number of times in one result than in the other, as they first appear there. */
function* differences(gold: Rows, pred: Rows, paired: PairedRows): Iterable<Counted> {
  let next = 0;
  for (const [rows, places] of [
    [gold, paired.gold],
    [pred, paired.pred],
  ] as const)
    for (const [index, place] of places.entries()) {
      // Places are given in the order of appearance.
      if (place !== next) continue;
      next++;
      const [goldCount, predCount] = [paired.goldCounts[place] ?? 0, paired.predCounts[place] ?? 0];
      if (goldCount !== predCount) yield { row: rows[index] ?? [], gold: goldCount, pred: predCount };
    }
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
    const paired = pairRows(gold.rows, pred.rows, strictForm);
    for (const count of differences(gold.rows, pred.rows, paired)) {
      const list = count.pred === 0 ? missing : count.gold === 0 ? extra : recounted;
      list.add(count);
    }
    const isSame = missing.total + extra.total + recounted.total === 0;
    isReordered = isSame && options.ordered && paired.gold.some((place, row) => place !== paired.pred[row]);
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
