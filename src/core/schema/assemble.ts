import type { Catalog, Column, ForeignKey, Index, Table } from '../../protocol/catalog.ts';
import { columnComments } from './column-comments.ts';
import { columnKind } from './column-kind.ts';
import { foreignKeyProblems, resolveForeignKeys } from './foreign-keys.ts';
import { groupBy } from './group.ts';
import { nameKey, plainIdentifier } from './identifiers.ts';

/** A table or view of `sqlite_schema`; `rowid` names it in the other lists. */
export interface SchemaObject {
  rowid: number;
  type: string;
  name: string;
  sql: string | null;
}

/** A row of `pragma_table_list`. */
export interface ListedTable {
  name: string;
  type: string;
  withoutRowid: boolean;
  strict: boolean;
}

/** A row of `pragma_table_xinfo`; `hidden` is 1 for hidden columns, 2 and 3 for virtual and stored generated ones. */
export interface ColumnRow {
  rowid: number;
  name: string;
  declared: string;
  notNull: boolean;
  defaultSql: string | null;
  primaryKey: number;
  hidden: number;
}

/** A row of `pragma_foreign_key_list`. */
export interface ForeignKeyRow {
  rowid: number;
  id: number;
  seq: number;
  from: string;
  toTable: string;
  toColumn: string | null;
}

/** A key column of an index: a row of `pragma_index_xinfo` with its row of `pragma_index_list`. */
export interface IndexRow {
  rowid: number;
  name: string;
  unique: boolean;
  origin: string;
  partial: boolean;
  column: string | null;
}

/** What SQLite says of a schema, row by row. Each list is in the order that the pragma gives. */
export interface SchemaRows {
  objects: SchemaObject[];
  listed: ListedTable[];
  columns: ColumnRow[];
  foreignKeys: ForeignKeyRow[];
  indexes: IndexRow[];
  /** Why the columns of a table or view cannot be read, by rowid. */
  problems: ReadonlyMap<number, string>;
  /** What columns mean by description files: by `nameKey` of the table, then of the column. */
  meanings: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const GENERATED = { 2: 'virtual', 3: 'stored' } as const;

function toColumn(row: ColumnRow, meaning: string | null): Column {
  return {
    name: row.name,
    declared: row.declared,
    kind: columnKind(row.declared),
    notNull: row.notNull,
    defaultSql: row.defaultSql,
    primaryKey: row.primaryKey,
    generated: row.hidden === 2 || row.hidden === 3 ? GENERATED[row.hidden] : null,
    hidden: row.hidden === 1,
    meaning,
  };
}

function toForeignKey({ rowid: _, ...row }: ForeignKeyRow): ForeignKey {
  return { ...row, target: null, problem: null };
}

function toIndexes(rows: readonly IndexRow[]): Index[] {
  return [...groupBy(rows, ({ name }) => name).values()].flatMap((columns) => {
    const [first] = columns;
    if (!first) return [];
    const { name, unique, partial, origin } = first;
    return [
      {
        name,
        unique,
        partial,
        origin: origin === 'pk' || origin === 'u' ? origin : 'c',
        columns: columns.map(({ column }) => column),
      },
    ];
  });
}

function tableType(object: SchemaObject, listed: ListedTable | undefined): Table['type'] {
  if (object.type === 'view') return 'view';
  if (listed?.type === 'shadow') return 'shadow';
  // A virtual table whose module is missing is no table to `pragma_table_list`.
  return listed?.type === 'virtual' || /^create\s+virtual\b/i.test(object.sql ?? '') ? 'virtual' : 'table';
}

function byRowid<T extends { rowid: number }>(rows: readonly T[]): (rowid: number) => T[] {
  const groups = groupBy(rows, ({ rowid }) => rowid);
  return (rowid) => groups.get(rowid) ?? [];
}

/** The catalog that the rows describe, with foreign keys resolved and what is broken named. */
export function assembleCatalog(rows: SchemaRows): Catalog {
  const listed = new Map(rows.listed.map((entry) => [nameKey(entry.name), entry]));
  const columnsOf = byRowid(rows.columns);
  const keysOf = byRowid(rows.foreignKeys);
  const indexesOf = byRowid(rows.indexes);
  const tables = rows.objects.map((object): Table => {
    const entry = listed.get(nameKey(object.name));
    const meanings = rows.meanings.get(nameKey(object.name));
    const comments = object.type === 'table' ? columnComments(object.sql ?? '') : new Map<string, string>();
    return {
      name: object.name,
      type: tableType(object, entry),
      columns: columnsOf(object.rowid).map((row) =>
        toColumn(row, meanings?.get(nameKey(row.name)) ?? comments.get(row.name) ?? null),
      ),
      foreignKeys: keysOf(object.rowid).map(toForeignKey),
      indexes: toIndexes(indexesOf(object.rowid)),
      withoutRowid: entry?.withoutRowid ?? false,
      strict: entry?.strict ?? false,
      sql: object.sql,
      problem: rows.problems.get(object.rowid) ?? null,
    };
  });
  const resolved = resolveForeignKeys(tables);
  return { tables: resolved, problems: [...tables.flatMap(tableProblem), ...foreignKeyProblems(resolved)] };
}

function tableProblem({ type, name, problem }: Table): string[] {
  if (problem === null) return [];
  const kind = type === 'view' ? 'View' : type === 'virtual' ? 'Virtual table' : 'Table';
  return [`${kind} ${plainIdentifier(name)} cannot be read: ${problem.replace(/\.$/, '')}.`];
}
