import { quoteIdentifier, quoteText } from '../../core/schema/identifiers.ts';
import type { Table } from '../../protocol/catalog.ts';

/** The rows of a page, and one more: it tells whether a page follows. */
export function pageSql(table: string, offset: number, limit: number): string {
  return `SELECT * FROM ${quoteIdentifier(table)} LIMIT ${limit + 1} OFFSET ${offset}`;
}

export function countSql(table: string): string {
  return `SELECT count(*) FROM ${quoteIdentifier(table)}`;
}

/** One cell, whole. The row is found as its page found it. */
export function cellSql(table: string, column: string, row: number): string {
  return `SELECT ${quoteIdentifier(column)} FROM ${quoteIdentifier(table)} LIMIT 1 OFFSET ${row}`;
}

/** The row count that ANALYZE noted; an error where nobody ran it. */
export function analyzedSql(table: string): string {
  return `SELECT CAST(stat AS INTEGER) FROM sqlite_stat1 WHERE tbl = ${quoteText(table)} LIMIT 1`;
}

/**
 * How far the row numbers reach: both ends of a B-tree, read at once however large the table is. Close to the row count
 * of a table whose rows were numbered by SQLite and seldom deleted. null where a table has no row numbers of its own.
 */
export function reachSql({ name, type, withoutRowid, columns }: Table): string | null {
  if (type !== 'table' || withoutRowid) return null;
  const taken = new Set(columns.map((column) => column.name.toLowerCase()));
  const rowid = ['rowid', '_rowid_', 'oid'].find((alias) => !taken.has(alias));
  if (rowid === undefined) return null;
  const from = `FROM ${quoteIdentifier(name)}`;
  return `SELECT (SELECT max(${rowid}) ${from}) - (SELECT min(${rowid}) ${from}) + 1`;
}

/**
 * Whether a table of a file of `bytes` can have `rows` rows: a row takes at least its header, its number and one byte of
 * header a column. Guards against tables whose row numbers are hashes or times.
 */
export function canHold(rows: number, bytes: number, table: Table): boolean {
  return rows > 0 && rows * (table.columns.length + 3) <= bytes;
}
