import type { ForeignKey, Table } from '../../protocol/catalog.ts';

/** The tables again, each foreign key with its target as the tables spell it, or with the reason why it has none. */
export function resolveForeignKeys(tables: Table[]): Table[] {
  const byName = new Map(tables.map((table) => [table.name.toLowerCase(), table]));
  return tables.map((table) => ({
    ...table,
    foreignKeys: table.foreignKeys.map((key) => resolve(key, table, byName)),
  }));
}

function resolve(key: ForeignKey, table: Table, byName: ReadonlyMap<string, Table>): ForeignKey {
  const broken = (problem: string): ForeignKey => ({ ...key, target: null, problem });
  const from = columnNamed(table, key.from);
  if (from === null) return broken(`"${table.name}" has no column "${key.from}".`);
  const target = byName.get(key.toTable.toLowerCase());
  if (target?.type !== 'table' && target?.type !== 'virtual') return broken(`there is no table "${key.toTable}".`);
  const column = key.toColumn === null ? onlyPrimaryKey(target) : columnNamed(target, key.toColumn);
  if (column !== null)
    return { ...key, target: { column: from, toTable: target.name, toColumn: column }, problem: null };
  return broken(
    key.toColumn === null
      ? `"${target.name}" has no primary key of one column.`
      : `"${target.name}" has no column "${key.toColumn}".`,
  );
}

function columnNamed(table: Table, name: string): string | null {
  return table.columns.find((column) => column.name.toLowerCase() === name.toLowerCase())?.name ?? null;
}

function onlyPrimaryKey(table: Table): string | null {
  const keys = table.columns.filter((column) => column.primaryKey > 0);
  return keys.length === 1 ? (keys[0]?.name ?? null) : null;
}
