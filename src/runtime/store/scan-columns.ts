import { holdsText } from '../../core/schema/column-kind.ts';
import { quoteIdentifier } from '../../core/schema/identifiers.ts';
import { COUNT_ENOUGH, isPromptTable } from '../../core/schema/lines1-schema.ts';
import { LONGEST_VALUE } from '../../core/schema/value-index.ts';
import { codePoints, isBlank } from '../../core/schema/words.ts';
import type { Catalog, Column, ColumnValues, Table } from '../../protocol/catalog.ts';
import type { Cell } from '../../protocol/value.ts';
import { textOf } from '../schema-query.ts';

/** A column whose values are to be scanned. */
export interface ScanColumn {
  table: Table;
  column: Column;
}

/** A column with more distinct text values than this is not searched. */
export const MOST_VALUES = 5000;

/** Rows that tell whether a column of a large table has too many values, before it is read to its end. */
export const PROBED_ROWS = 50_000;

/** No text of 60 characters has more bytes than this. */
const MOST_BYTES = 4 * LONGEST_VALUE;

/** All white space, as `char(…)` takes it. */
const SPACES =
  'char(9,10,11,12,13,28,29,30,31,32,133,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288)';

/** The name of a column in messages: `table.column`. */
export function columnLabel({ table, column }: ScanColumn): string {
  return `${table.name}.${column.name}`;
}

/** Every column whose values a prompt may show, in schema order. */
export function scannableColumns(catalog: Catalog): ScanColumn[] {
  return catalog.tables
    .filter(isPromptTable)
    .flatMap((table) =>
      table.columns.filter((column) => !column.hidden && holdsText(column.kind)).map((column) => ({ table, column })),
    );
}

/** Joins one SELECT a column; the first result column is the position of the column in the list. */
function together(columns: readonly ScanColumn[], select: (name: string, table: string) => string): string {
  return columns
    .map(({ table, column }, position) => {
      const inner = select(quoteIdentifier(column.name), quoteIdentifier(table.name));
      return `SELECT ${position}, * FROM (${inner})`;
    })
    .join(' UNION ALL ');
}

/**
 * Distinct text values of columns. A long one comes as a blob of its first byte, of none where it is blank: that is all
 * that is asked of it.
 */
export function valuesSql(columns: readonly ScanColumn[]): string {
  return together(
    columns,
    (name, table) =>
      `SELECT CASE WHEN octet_length(v) > ${MOST_BYTES} THEN CAST(substr(trim(v, ${SPACES}), 1, 1) AS BLOB) ELSE v END
      FROM (SELECT DISTINCT ${name} AS v FROM ${table} WHERE typeof(${name}) = 'text' LIMIT ${MOST_VALUES + 1})`,
  );
}

/** Non-NULL values of columns, counted as far as a prompt needs to know. */
export function countsSql(columns: readonly ScanColumn[]): string {
  return together(
    columns,
    (name, table) => `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${name} IS NOT NULL LIMIT ${COUNT_ENOUGH})`,
  );
}

/** 1 for a column with too many values among its first rows. */
export function probesSql(columns: readonly ScanColumn[]): string {
  return together(
    columns,
    (name, table) =>
      `SELECT count(*) > ${MOST_VALUES} FROM (SELECT DISTINCT v FROM (SELECT ${name} AS v FROM ${table} LIMIT ${PROBED_ROWS})
      WHERE typeof(v) = 'text' LIMIT ${MOST_VALUES + 1}) WHERE trim(v, ${SPACES}) <> ''`,
  );
}

/** Whether the first rows of a column are worth a look before all of it is read. */
export function isProbed({ table, column }: ScanColumn, rows: number): boolean {
  // An index gives the values in another order, in which the first 5,001 may be others.
  return rows > PROBED_ROWS && !table.indexes.some(({ columns }) => columns.includes(column.name));
}

/** What the rows of `valuesSql` say of one column. */
export function toColumnValues({ table, column }: ScanColumn, cells: readonly Cell[]): ColumnValues {
  const values: string[] = [];
  let longer = 0;
  for (const cell of cells) {
    if (cell instanceof Uint8Array) {
      if (cell.length > 0) longer += 1;
      continue;
    }
    const text = textOf(cell);
    if (isBlank(text)) continue;
    if (text.length > LONGEST_VALUE && codePoints(text) > LONGEST_VALUE) longer += 1;
    else values.push(text);
  }
  const tooMany = values.length + longer > MOST_VALUES;
  return {
    table: table.name,
    column: column.name,
    values: tooMany ? null : values,
    ...(longer > 0 && !tooMany ? { longer } : {}),
    nonNull: null,
  };
}
