import type { Duplicates } from '../../protocol/ask.ts';
import type { JsonCell } from '../../protocol/value.ts';

/** A text that two rows share exactly when every cell of theirs is equal. Integers and equal reals are one value. */
function rowKey(row: readonly JsonCell[]): string {
  return JSON.stringify(row);
}

/**
 * Rows that are equal to an earlier row. A result with such rows may come from a join that multiplies rows.
 *
 * @param rows the rows in the order SQLite gave them
 * @returns `rows` duplicates of `total` rows, or null where every row is different
 */
export function duplicateRows(rows: readonly (readonly JsonCell[])[]): Duplicates | null {
  const different = new Set(rows.map(rowKey)).size;
  const duplicates = rows.length - different;
  return duplicates === 0 ? null : { rows: duplicates, total: rows.length };
}
