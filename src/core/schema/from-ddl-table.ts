import type {
  ColumnDefinition,
  ColumnsAndConstraintsCreateTableBody,
  CreateIndexStmt,
  CreateTableStmt,
  CreateVirtualTableStmt,
  ForeignKeyClause,
  SortedColumn,
} from 'sqlite3-parser';
import type { Column, ForeignKey, Index, Table } from '../../protocol/catalog.ts';
import { columnComments } from './column-comments.ts';
import { columnKind } from './column-kind.ts';
import { selectColumns } from './from-ddl-view.ts';

/** Bits of `flags` of a CREATE TABLE body, as the parser's `TabFlags` (which it declares but does not export). */
const WITHOUT_ROWID = 128;
const STRICT = 65536;

/** A table as its CREATE TABLE statement describes it. @param text the statement, at which the tree's spans point */
export function readTable(tree: CreateTableStmt, text: string, known: ReadonlyMap<string, Table>): Table {
  const name = tree.tblName.objName;
  const table: Table = {
    name: name.text,
    type: 'table',
    columns: [],
    foreignKeys: [],
    indexes: [],
    withoutRowid: false,
    strict: false,
    sql: `CREATE TABLE ${text.slice(name.span.offset)}`,
    problem: null,
  };
  if (tree.body.type === 'AsSelectCreateTableBody')
    return { ...table, ...selectColumns(tree.body.select, text, known) };
  const withoutRowid = (tree.body.flags & WITHOUT_ROWID) !== 0;
  const strict = (tree.body.flags & STRICT) !== 0;
  const keys = keysOf(tree.body);
  const meanings = columnComments(text);
  const columns = tree.body.columns.map((definition) => ({
    ...readColumn(definition, text, keys.primary, withoutRowid || strict),
    meaning: meanings.get(definition.colName.text) ?? null,
  }));
  return {
    ...table,
    columns,
    foreignKeys: foreignKeysOf(tree.body),
    indexes: automaticIndexes(name.text, keys, columns, withoutRowid),
    withoutRowid,
    strict,
  };
}

function readColumn(definition: ColumnDefinition, text: string, primaryKey: string[], keyNotNull: boolean): Column {
  const { colType } = definition;
  const name = definition.colName.text;
  const written =
    colType === undefined ? '' : text.slice(colType.span.offset, colType.span.offset + colType.span.length);
  const declared = standardType(written.replace(/\s*\bgenerated\s+always$/i, ''));
  const column: Column = {
    name,
    declared,
    kind: columnKind(declared),
    notNull: false,
    defaultSql: null,
    primaryKey: positionOf(name, primaryKey),
    generated: null,
    hidden: false,
    meaning: null,
  };
  for (const { constraint } of definition.constraints) {
    if (constraint.type === 'NotNullColumnConstraint') column.notNull = !constraint.nullable;
    if (constraint.type === 'DefaultColumnConstraint') {
      const { span } = constraint.expr;
      const sql = text.slice(span.offset, span.offset + span.length);
      column.defaultSql = constraint.expr.type === 'ParenthesizedExpr' ? innerText(sql) : sql;
    }
    if (constraint.type === 'GeneratedColumnConstraint')
      column.generated = constraint.typ?.name.toLowerCase() === 'stored' ? 'stored' : 'virtual';
  }
  if (keyNotNull && column.primaryKey > 0) column.notNull = true;
  return column;
}

/** SQLite keeps its own six type names in upper case, however they are written. */
function standardType(declared: string): string {
  return /^(?:any|blob|int|integer|real|text)$/i.test(declared) ? declared.toUpperCase() : declared;
}

/** The text between the parentheses of `(…)`. */
function innerText(text: string): string {
  const inner = /^\(\s*([\s\S]*?)\s*\)$/.exec(text);
  return inner?.[1] ?? text;
}

/** Position from 1 of a name in a list, 0 when it is not there. */
function positionOf(name: string, list: readonly string[]): number {
  return list.findIndex((entry) => entry.toLowerCase() === name.toLowerCase()) + 1;
}

interface Keys {
  primary: string[];
  /** Lists of columns that are unique, in the order written; the primary key among them. */
  unique: { origin: 'u' | 'pk'; columns: string[]; descending: boolean }[];
}

function keysOf(body: ColumnsAndConstraintsCreateTableBody): Keys {
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
function automaticIndexes(table: string, keys: Keys, columns: Column[], withoutRowid: boolean): Index[] {
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
function foreignKeysOf(body: ColumnsAndConstraintsCreateTableBody): ForeignKey[] {
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

/** A virtual table's columns from its arguments; `key=value` arguments are options of the module. */
export function readVirtualTable(tree: CreateVirtualTableStmt, text: string): Table {
  const name = tree.tblName.objName;
  const names = (tree.args ?? []).map((argument) => argument.trim()).filter((argument) => !/^\w+\s*=/.test(argument));
  return {
    name: name.text,
    type: 'virtual',
    columns: names.map(virtualColumn).filter((column) => column !== null),
    foreignKeys: [],
    indexes: [],
    withoutRowid: false,
    strict: false,
    sql: `CREATE VIRTUAL TABLE ${text.slice(name.span.offset)}`,
    problem: null,
  };
}

function virtualColumn(argument: string): Column | null {
  const name = /^\+?\s*(?:"((?:[^"]|"")+)"|\[([^\]]+)\]|`([^`]+)`|'([^']+)'|([\p{L}\p{N}_$]+))/u.exec(argument);
  const text = name?.slice(1).find((group) => group !== undefined);
  if (text === undefined) return null;
  return {
    name: text,
    declared: '',
    kind: columnKind(''),
    notNull: false,
    defaultSql: null,
    primaryKey: 0,
    generated: null,
    hidden: false,
    meaning: null,
  };
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
