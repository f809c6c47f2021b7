import type { DistinctRows } from './grid.ts';

/** Colors are integers below this, so that the sum of two is exact. */
const COLORS = 2 ** 52;

/** A table's rows and columns, each with a color: equal where nothing seen so far tells two of them apart. */
export interface Coloring {
  table: DistinctRows;
  rows: Float64Array;
  columns: Float64Array;
}

/** A color made of two integers below 2^52, by multiplications and shifts as in MurmurHash3. */
export function mix(one: number, other: number): number {
  let low = Math.imul((one | 0) ^ 0x9e3779b9, 0x85ebca6b) ^ ((one / 2 ** 32) | 0);
  let high = Math.imul((other | 0) ^ low, 0xc2b2ae35) ^ ((other / 2 ** 32) | 0);
  low ^= high >>> 15;
  low = Math.imul(low ^ (low >>> 13), 0x85ebca6b);
  high = Math.imul(high ^ (low >>> 16), 0xc2b2ae35);
  high ^= high >>> 13;
  low = Math.imul(low ^ high, 0x27d4eb2f);
  return (high >>> 12) * 2 ** 32 + ((low ^ (low >>> 15)) >>> 0);
}

/** Adds colors such that the order of many does not matter. */
function add(one: number, other: number): number {
  const sum = one + other;
  return sum < COLORS ? sum : sum - COLORS;
}

/** The first coloring: a row has how often it stands there, the columns are alike. */
export function firstColoring(table: DistinctRows): Coloring {
  return { table, rows: Float64Array.from(table.counts), columns: new Float64Array(table.columns.length) };
}

/**
 * Colors each row by the colors of its columns and the cells there, then each column by its rows. Equal tables stay equal
 * in color however their rows and columns are ordered. Different rows may fall together (2^52 colors): that tells less
 * apart than could be, and nothing apart that is alike.
 */
export function recolored({ table, rows, columns }: Coloring): Coloring {
  const sums = new Float64Array(rows.length);
  for (const [column, cells] of table.columns.entries()) {
    const color = columns[column] ?? 0;
    for (let row = 0; row < cells.length; row++) sums[row] = add(sums[row] ?? 0, mix(color, cells[row] ?? 0));
  }
  const newRows = rows.map((color, row) => mix(color, sums[row] ?? 0));
  const newColumns = columns.map((color, column) => {
    let sum = 0;
    for (const [row, cell] of (table.columns[column] ?? new Int32Array()).entries())
      sum = add(sum, mix(newRows[row] ?? 0, cell));
    return mix(color, sum);
  });
  return { table, rows: newRows, columns: newColumns };
}

/** A number of different colors; null where the two lists do not hold the same colors as often. */
export function sharedColors(one: Float64Array, other: Float64Array): number | null {
  const sorted = one.toSorted();
  const others = other.toSorted();
  let different = 0;
  for (let index = 0; index < sorted.length; index++) {
    if (sorted[index] !== others[index]) return null;
    if (index === 0 || sorted[index] !== sorted[index - 1]) different++;
  }
  return different;
}
