import type { Cell } from '../../protocol/value.ts';
import { contentKey } from './cell-key.ts';
import { RowIndex } from './row-index.ts';
import type { Rows } from './rows.ts';

/** A result by columns, equal cells as equal numbers. Grids are comparable where `gridsOf` made them together. */
export interface Grid {
  height: number;
  columns: readonly Int32Array[];
}

/** The different rows of a result, as forms too, and how often each stands there. */
export interface DistinctRows extends Grid {
  rows: Rows;
  counts: Int32Array;
}

/** Gives equal forms equal numbers, from 0. */
class Numbering {
  readonly #plain = new Map<Cell, number>();
  readonly #contents = new Map<string, number>();

  numberOf(form: Cell): number {
    const isContent = typeof form === 'object' && form !== null;
    const known = isContent ? this.#contents.get(contentKey(form)) : this.#plain.get(form);
    if (known !== undefined) return known;
    const next = this.#plain.size + this.#contents.size;
    if (isContent) this.#contents.set(contentKey(form), next);
    else this.#plain.set(form, next);
    return next;
  }
}

function gridOf(rows: Rows, numbering: Numbering): Grid {
  const column = (index: number) => Int32Array.from(rows, (row) => numbering.numberOf(row[index] ?? null));
  return { height: rows.length, columns: (rows[0] ?? []).map((_, index) => column(index)) };
}

/** The grids of two results of one width, given as forms; the number of a cell is the same in both. */
export function gridsOf(one: Rows, other: Rows): [Grid, Grid] {
  const numbering = new Numbering();
  return [gridOf(one, numbering), gridOf(other, numbering)];
}

function distinctOf(rows: Rows, counts: Int32Array, numbering: Numbering): DistinctRows {
  return { ...gridOf(rows, numbering), rows, counts: counts.filter((count) => count > 0) };
}

/** The rows of one and of another result, given as the different rows of both and how often each has them. */
export function distinctRows(forms: Rows, one: Int32Array, other: Int32Array): [DistinctRows, DistinctRows] {
  const numbering = new Numbering();
  const rowsIn = (counts: Int32Array) => forms.filter((_, place) => (counts[place] ?? 0) > 0);
  return [distinctOf(rowsIn(one), one, numbering), distinctOf(rowsIn(other), other, numbering)];
}

/** Whether two sets of rows are equal, counts too, where column i of the first is column `order[i]` of the second. */
export function sameDistinctRows(one: DistinctRows, other: DistinctRows, order: readonly number[]): boolean {
  const index = new RowIndex((form) => form);
  for (const row of one.rows) index.add(row);
  return (
    one.height === other.height &&
    other.rows.every((row, place) => {
      const found = index.find(order.map((column) => row[column] ?? null));
      return found >= 0 && one.counts[found] === other.counts[place];
    })
  );
}

/** Whether two columns hold equal cells in equal order. */
export function sameCells(one: Int32Array, other: Int32Array): boolean {
  if (one.length !== other.length) return false;
  for (let row = 0; row < one.length; row++) if (one[row] !== other[row]) return false;
  return true;
}

/** Whether two grids have the same multiset of columns, rows in order. */
export function sameColumns(one: Grid, other: Grid): boolean {
  // Any equal column will do: equality is transitive, so that no choice takes away a partner that is needed.
  const left = [...other.columns];
  for (const column of one.columns) {
    const partner = left.findIndex((candidate) => sameCells(column, candidate));
    if (partner < 0) return false;
    left.splice(partner, 1);
  }
  return left.length === 0;
}
