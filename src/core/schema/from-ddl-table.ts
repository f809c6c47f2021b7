import type { ColumnDefinition, CreateTableStmt, CreateVirtualTableStmt, Expr } from 'sqlite3-parser';
import type { Column, Table } from '../../protocol/catalog.ts';
import { columnComments } from './column-comments.ts';
import { columnKind } from './column-kind.ts';
import { automaticIndexes, foreignKeysOf, keysOf } from './from-ddl-keys.ts';
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
  if (tree.body.type === 'AsSelectCreateTableBody') {
    const { columns, problem } = selectColumns(tree.body.select, text, known);
    return { ...table, columns: columns.map(copied), problem };
  }
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
    if (constraint.type === 'DefaultColumnConstraint') column.defaultSql = defaultText(constraint.expr, text);
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

/**
 * A column as CREATE TABLE AS makes it: its type is the name of its affinity
 * (https://sqlite.org/datatype3.html#determination_of_column_affinity).
 */
function copied(column: Column): Column {
  const declared = affinityType(column.declared);
  return { ...column, declared, kind: columnKind(declared) };
}

function affinityType(declared: string): string {
  if (/int/i.test(declared)) return 'INT';
  if (/char|clob|text/i.test(declared)) return 'TEXT';
  if (declared === '' || /blob/i.test(declared)) return '';
  return /real|floa|doub/i.test(declared) ? 'REAL' : 'NUM';
}

/** A default as `pragma table_xinfo` shows it: without the parentheses around it. */
function defaultText(expr: Expr, text: string): string {
  const parts = expr.type === 'ParenthesizedExpr' ? expr.exprs : [expr];
  const start = parts[0]?.span.offset ?? 0;
  const last = parts.at(-1)?.span;
  const written = text.slice(start, last === undefined ? start : last.offset + last.length);
  // The parser counts the keyword to a number with a sign.
  return written.replace(/^default\s+(?=[+-])/i, '');
}

/** Position from 1 of a name in a list, 0 when it is not there. */
function positionOf(name: string, list: readonly string[]): number {
  return list.findIndex((entry) => entry.toLowerCase() === name.toLowerCase()) + 1;
}

/** A virtual table's columns from its arguments; `key=value` arguments are options of the module. */
export function readVirtualTable(tree: CreateVirtualTableStmt, text: string): Table {
  const name = tree.tblName.objName;
  const { offset, length } = tree.moduleName.span;
  const inner = /\(([\s\S]*)\)[^)]*$/.exec(text.slice(offset + length))?.[1] ?? '';
  // Commas inside quotes, brackets or parentheses part nothing.
  const list = inner.match(/(?:"[^"]*"|'[^']*'|`[^`]*`|\[[^\]]*\]|\([^)]*\)|[^,])+/g) ?? [];
  const names = list.map((argument) => argument.trim()).filter((argument) => !/^\w+\s*=/.test(argument));
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
