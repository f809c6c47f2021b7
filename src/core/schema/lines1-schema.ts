import type { Catalog, Column, ColumnValues, Table, ValueScan } from '../../protocol/catalog.ts';
import { holdsText } from './column-kind.ts';
import { promptIdentifier, quoteText } from './identifiers.ts';
import { codePoints, compareCodePoints, isDigits } from './words.ts';

const MOST_LISTED = 6;
const LONGEST_LISTED = 20;

/** Non-NULL values need to be counted no further than this to decide whether the values of a column are listed. */
export const COUNT_ENOUGH = 2 * MOST_LISTED;

/** A column as `lines-1` shows it. */
export interface PromptColumn {
  column: Column;
  /** What the scan found; null where the column was not scanned. */
  values: ColumnValues | null;
  /** The values that stand in the schema, null where none do. */
  listed: string[] | null;
}

export interface PromptTable {
  table: Table;
  columns: PromptColumn[];
}

/** The values of a column if they are few and short enough to be listed, should they also repeat enough; else null. */
export function listableValues(column: Column, { values, longer }: ColumnValues): string[] | null {
  if (values === null || (longer ?? 0) > 0 || values.length < 1 || values.length > MOST_LISTED) return null;
  if (column.primaryKey > 0 || !holdsText(column.kind)) return null;
  if (!values.every((value) => codePoints(value) <= LONGEST_LISTED && !value.includes('\n'))) return null;
  return values.every(isDigits) ? null : values;
}

function listedValues(column: Column, found: ColumnValues | null): string[] | null {
  const values = found && listableValues(column, found);
  return values && (found.nonNull ?? 0) >= 2 * values.length ? values.toSorted(compareCodePoints) : null;
}

/** Virtual tables count as tables; views, shadow tables, unreadable ones and SQLite's own do not. */
export function isPromptTable(table: Table): boolean {
  return table.type !== 'view' && table.type !== 'shadow' && table.problem === null && !/^sqlite./isu.test(table.name);
}

function valuesByColumn(scan: ValueScan): Map<string, ColumnValues> {
  return new Map(scan.columns.map((found) => [`${found.table}\0${found.column}`, found]));
}

/** The tables and columns that `lines-1` shows, in schema order. @param tables names to keep; null: all. */
export function promptTables(catalog: Catalog, scan: ValueScan, tables: readonly string[] | null): PromptTable[] {
  const kept = tables && new Set(tables);
  const found = valuesByColumn(scan);
  const columnsOf = (table: Table): PromptColumn[] =>
    table.columns
      .filter((column) => !column.hidden)
      .map((column) => {
        const values = found.get(`${table.name}\0${column.name}`) ?? null;
        return { column, values, listed: listedValues(column, values) };
      });
  return catalog.tables
    .filter((table) => isPromptTable(table) && (!kept || kept.has(table.name)))
    .map((table) => ({ table, columns: columnsOf(table) }));
}

function renderColumn({ column, listed }: PromptColumn): string {
  const key = column.primaryKey > 0 ? ' pk' : '';
  const values = listed ? ` {${listed.map(quoteText).join(', ')}}` : '';
  return `${promptIdentifier(column.name)} ${column.kind}${key}${values}`;
}

/** `table.column` as both stand in a prompt. */
export function renderReference(table: string, column: string): string {
  return `${promptIdentifier(table)}.${promptIdentifier(column)}`;
}

/** Names are looked up in any case, not of ASCII letters alone: here `lines-1` is wider than SQLite. */
function byLowerCase<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T> {
  return new Map(items.map((item) => [nameOf(item).toLowerCase(), item]));
}

/** One line for each column pair of a foreign key that leads from a shown column to a shown column. */
function renderForeignKeys(tables: readonly PromptTable[]): string[] {
  const tableOf = byLowerCase(tables, ({ table }) => table.name);
  const columnOf = new Map(tables.map((shown) => [shown, byLowerCase(shown.columns, ({ column }) => column.name)]));
  const lines: string[] = [];
  for (const shown of tables) {
    for (const key of shown.table.foreignKeys) {
      const target = tableOf.get(key.toTable.toLowerCase());
      const from = columnOf.get(shown)?.get(key.from.toLowerCase());
      if (!target || !from) continue;
      const primary = target.columns.filter(({ column }) => column.primaryKey > 0);
      const to =
        key.toColumn === null
          ? primary.length === 1
            ? primary[0]
            : undefined
          : columnOf.get(target)?.get(key.toColumn.toLowerCase());
      if (!to) continue;
      const left = renderReference(shown.table.name, from.column.name);
      lines.push(`${left} = ${renderReference(target.table.name, to.column.name)}`);
    }
  }
  return lines;
}

/** The parts of a `lines-1` message that do not depend on the question: tables and foreign keys. */
export function renderSchema(tables: readonly PromptTable[]): string {
  const lines = tables.map(
    ({ table, columns }) => `${promptIdentifier(table.name)}(${columns.map(renderColumn).join(', ')})`,
  );
  const keys = renderForeignKeys(tables);
  return ['Schema:', ...lines, ...(keys.length > 0 ? ['Foreign keys:', ...keys] : [])].join('\n');
}
