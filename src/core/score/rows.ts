import type { Cell } from '../../protocol/value.ts';
import { exactForm, sameForm } from './cell-key.ts';

export type Row = readonly Cell[];
/** The rows of a result in SQLite's order; all of one width. */
export type Rows = readonly Row[];

/** A result as the metrics compare it: columns by position, their names for show. */
export interface Table {
  columns: readonly string[];
  rows: Rows;
}

/** A text that two rows share exactly where all their cells share their keys; `cellKey` must be prefix-free. */
export function rowKey(row: Row, cellKey: (cell: Cell) => string): string {
  let key = '';
  for (const cell of row) key += cellKey(cell);
  return key;
}

/** Whether two rows of forms are equal. */
export function sameForms(one: Row, other: Row): boolean {
  if (one.length !== other.length) return false;
  for (let column = 0; column < one.length; column++)
    if (!sameForm(one[column] ?? null, other[column] ?? null)) return false;
  return true;
}

function sameRow(one: Row, other: Row): boolean {
  if (one.length !== other.length) return false;
  for (let column = 0; column < one.length; column++) {
    const [left, right] = [one[column] ?? null, other[column] ?? null];
    if (left !== right && !sameForm(exactForm(left), exactForm(right))) return false;
  }
  return true;
}

/**
 * Whether two results are equal row by row under Python's equality. Cheap, and true of most right answers, so that the
 * metrics ask this before they look for more.
 */
export function sameRows(one: Rows, other: Rows): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (!sameRow(one[index] ?? [], other[index] ?? [])) return false;
  return true;
}
