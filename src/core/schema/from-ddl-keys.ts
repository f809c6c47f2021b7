import type {
  ColumnsAndConstraintsCreateTableBody,
  CreateIndexStmt,
  ForeignKeyClause,
  SortedColumn,
} from 'sqlite3-parser';
import type { Column, ForeignKey, Index, Table } from '../../protocol/catalog.ts';

/** The keys of a CREATE TABLE. */
export interface Keys {
  primary: string[];
  /** Lists of columns that are unique, in the order written; the primary key among them. */
  unique: { origin: 'u' | 'pk'; columns: string[]; descending: boolean }[];
}

/** Reads the primary key and the other unique keys. */
export function keysOf(body: ColumnsAndConstraintsCreateTableBody): Keys {
  const unique: Keys['unique'] = [];
  for (const { colName, constraints } of body.columns)
    for (const { constraint } of constraints) {
      if (constraint.type === 'PrimaryKeyColumnConstraint')
        unique.push({ origin: 'pk', columns: [colName.text], descending: constraint.order === 'Desc' });
      if (constraint.type === 'UniqueColumnConstraint')
        unique.push({ origin: 'u', columns: [colName.text], descending: false });
    }
  for (const { constraint } of body.constraints ?? []) {
    if (constraint.type === 'PrimaryKeyTableConstraint')
      unique.push({ origin: 'pk', columns: namesOf(constraint.columns), descending: false });
    if (constraint.type === 'UniqueTableConstraint')
      unique.push({ origin: 'u', columns: namesOf(constraint.columns), descending: false });
  }
  return { primary: unique.find(({ origin }) => origin === 'pk')?.columns ?? [], unique };
}

/** Names of columns in a key or index. An expression, which SQLite refuses in a key, has no name and is left out. */
function namesOf(columns: readonly SortedColumn[]): string[] {
  return columns.map(nameOf).filter((name) => name !== null);
}

function nameOf({ expr }: SortedColumn): string | null {
  const bare = expr.type === 'CollateExpr' ? expr.expr : expr;
  if (bare.type === 'Id') return bare.name;
  return bare.type === 'StringLiteral' ? bare.value : null;
}

/** `sqlite_autoindex_…`: one for each unique list of columns that is neither the rowid nor already covered. */
export function automaticIndexes(table: string, keys: Keys, columns: Column[], withoutRowid: boolean): Index[] {
  const indexes: Index[] = [];
  const covered = new Set<string>();
  for (const { origin, columns: names, descending } of keys.unique) {
    const first = columns.find(({ name }) => name.toLowerCase() === names[0]?.toLowerCase());
    const isRowid = !withoutRowid && names.length === 1 && first?.declared.toUpperCase() === 'INTEGER' && !descending;
    const signature = names.map((name) => name.toLowerCase()).join('\0');
    if ((origin === 'pk' && isRowid) || covered.has(signature)) continue;
    covered.add(signature);
    indexes.push({
      name: `sqlite_autoindex_${table}_${indexes.length + 1}`,
      unique: true,
      origin,
      partial: false,
      columns: names,
    });
  }
  return indexes.reverse();
}

/** One entry a column pair, numbered as `pragma foreign_key_list` does: the key written last is 0. */
export function foreignKeysOf(body: ColumnsAndConstraintsCreateTableBody): ForeignKey[] {
  const written: { columns: string[]; clause: ForeignKeyClause }[] = [];
  for (const { colName, constraints } of body.columns)
    for (const { constraint } of constraints)
      if (constraint.type === 'ForeignKeyColumnConstraint')
        written.push({ columns: [colName.text], clause: constraint.clause });
  for (const { constraint } of body.constraints ?? [])
    if (constraint.type === 'ForeignKeyTableConstraint')
      written.push({ columns: constraint.columns.map(({ colName }) => colName.text), clause: constraint.clause });
  return written.reverse().flatMap(({ columns, clause }, id) =>
    columns.map((from, seq) => ({
      id,
      seq,
      from,
      toTable: clause.tblName.text,
      toColumn: clause.columns?.[seq]?.colName.text ?? null,
      target: null,
      problem: null,
    })),
  );
}

/** Adds the index of a CREATE INDEX to its table. @returns what stands against it, null where nothing does. */
export function addIndex(tree: CreateIndexStmt, tables: ReadonlyMap<string, Table>): string | null {
  const table = tables.get(tree.tblName.text.toLowerCase());
  if (table === undefined) return `index "${tree.idxName.objName.text}" on the missing table "${tree.tblName.text}".`;
  table.indexes.unshift({
    name: tree.idxName.objName.text,
    unique: tree.unique,
    origin: 'c',
    partial: tree.whereClause !== undefined,
    columns: tree.columns.map(nameOf),
  });
  return null;
}
