import type { Cell } from '../../protocol/value.ts';
import type { Rows } from './rows.ts';

/** A result by columns, equal cells as equal numbers. Grids are comparable where `gridsOf` made them together. */
export interface Grid {
  height: number;
  columns: readonly Int32Array[];
}

/** The different rows of a grid and how often each stands there. */
export interface DistinctRows extends Grid {
  counts: Int32Array;
}

/** The grids of two results of one width; the number of a cell is the same in both. */
export function gridsOf(one: Rows, other: Rows, cellKey: (cell: Cell) => string): [Grid, Grid] {
  const numbers = new Map<string, number>();
  const numberOf = (cell: Cell) => {
    const key = cellKey(cell);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  };
  const gridOf = (rows: Rows): Grid => ({
    height: rows.length,
    columns: (rows[0] ?? []).map((_, column) => Int32Array.from(rows, (row) => numberOf(row[column] ?? null))),
  });
  return [gridOf(one), gridOf(other)];
}

/** The cells of one row as a text, the columns in the order given. */
function rowText(grid: Grid, row: number, order: readonly number[]): string {
  let text = '';
  for (const column of order) text += `${grid.columns[column]?.[row]},`;
  return text;
}

/** The different rows in the order of their first appearance. */
export function distinctRows(grid: Grid): DistinctRows {
  const order = grid.columns.map((_, column) => column);
  const places = new Map<string, number>();
  const counts: number[] = [];
  const firsts: number[] = [];
  for (let row = 0; row < grid.height; row++) {
    const text = rowText(grid, row, order);
    const place = places.get(text) ?? firsts.length;
    counts[place] = (counts[place] ?? 0) + 1;
    if (place < firsts.length) continue;
    places.set(text, place);
    firsts.push(row);
  }
  return {
    height: firsts.length,
    columns: grid.columns.map((cells) => Int32Array.from(firsts, (row) => cells[row] ?? 0)),
    counts: Int32Array.from(counts),
  };
}

/** Whether two sets of rows are equal, counts too, where column i of the first is column `order[i]` of the second. */
export function sameDistinctRows(one: DistinctRows, other: DistinctRows, order: readonly number[]): boolean {
  if (one.height !== other.height) return false;
  const asTheyStand = order.map((_, column) => column);
  const counts = new Map<string, number>();
  for (let row = 0; row < one.height; row++) counts.set(rowText(one, row, asTheyStand), one.counts[row] ?? 0);
  for (let row = 0; row < other.height; row++)
    if (counts.get(rowText(other, row, order)) !== other.counts[row]) return false;
  return true;
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
