import type { Cell } from '../../protocol/value.ts';
import { exactKey } from './cell-key.ts';

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

/** Whether two cells are equal in Python: numbers by exact value, text and blobs apart. */
export function sameCell(one: Cell, other: Cell): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  if (typeof one === typeof other && typeof one !== 'object') return false;
  return exactKey(one) === exactKey(other);
}

function sameRow(one: Row, other: Row): boolean {
  if (one.length !== other.length) return false;
  for (let column = 0; column < one.length; column++)
    if (!sameCell(one[column] ?? null, other[column] ?? null)) return false;
  return true;
}

/**
 * Whether two results are equal row by row under Python's equality. Cheap, and true of most right answers, so that the
 * metrics ask this before they build keys.
 */
export function sameRows(one: Rows, other: Rows): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (!sameRow(one[index] ?? [], other[index] ?? [])) return false;
  return true;
}
