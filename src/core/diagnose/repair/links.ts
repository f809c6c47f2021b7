import type { Catalog, Table } from '../../../protocol/catalog.ts';
import { foldName } from '../../sql/tokens.ts';
import type { RepairContext } from './context.ts';
import { columnForm, wordOf } from './forms.ts';

/** A pair of columns by which two tables are joined. */
export interface Link {
  readonly column: string;
  readonly otherTable: string;
  readonly otherColumn: string;
  /** A foreign key says so; else the columns have one name. */
  readonly declared: boolean;
}

/**
 * The columns by which a table can be joined with others: foreign keys both ways, keys that share a name, and where the
 * schema declares nothing between two tables, columns that the gold names.
 */
export function linksOf({ catalog, gold }: Pick<RepairContext, 'catalog' | 'gold'>, table: string): Link[] {
  const own = catalog.tables.find(({ name }) => foldName(name) === foldName(table));
  if (own === undefined) return [];
  const found = new Map<string, Link>();
  const note = (link: Link) => {
    const key = [link.column, link.otherTable, link.otherColumn].map(foldName).join('\0');
    if (!found.has(key)) found.set(key, link);
  };
  for (const { target } of own.foreignKeys)
    if (target !== null)
      note({ column: target.column, otherTable: target.toTable, otherColumn: target.toColumn, declared: true });
  for (const other of catalog.tables)
    for (const { target } of other.foreignKeys)
      if (target !== null && foldName(target.toTable) === foldName(own.name))
        note({ column: target.toColumn, otherTable: other.name, otherColumn: target.column, declared: true });
  for (const other of catalog.tables) {
    if (other === own || other.type !== 'table') continue;
    for (const column of own.columns) {
      const same = other.columns.find(({ name }) => foldName(name) === foldName(column.name));
      if (same === undefined || (column.primaryKey === 0 && same.primaryKey === 0)) continue;
      note({ column: column.name, otherTable: other.name, otherColumn: same.name, declared: false });
    }
  }
  const linked = new Set(
    [...found.values()].filter(({ declared }) => declared).map(({ otherTable }) => foldName(otherTable)),
  );
  const named = (table: Table) =>
    table.columns.filter(({ name }) => gold.has.has(wordOf(columnForm(table.name, name)))).map(({ name }) => name);
  for (const other of otherTables(own, catalog)) {
    if (linked.has(foldName(other.name))) continue;
    for (const column of named(own))
      for (const otherColumn of named(other)) note({ column, otherTable: other.name, otherColumn, declared: false });
  }
  return [...found.values()];
}

function otherTables(own: Table, { tables }: Catalog): Table[] {
  return tables.filter((table) => table !== own && (table.type === 'table' || table.type === 'view'));
}
