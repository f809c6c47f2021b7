import type { CreateViewStmt, FromClause, ResultColumn, Select, SelectTable } from 'sqlite3-parser';
import type { Column, Table } from '../../protocol/catalog.ts';
import { columnKind } from './column-kind.ts';
import { nameKey } from './identifiers.ts';

type Known = ReadonlyMap<string, Table>;

/** What stands in a FROM clause: its name there and its columns. */
interface Source {
  name: string;
  columns: Column[];
}

/** A view as its CREATE VIEW statement describes it. @param known the tables and views created before, by lower-case name */
export function readView(tree: CreateViewStmt, text: string, known: Known): Table {
  const name = tree.viewName.objName;
  const found = selectColumns(tree.select, text, known);
  const columns = tree.columns?.map(({ colName }, position) => renamed(found.columns[position], colName.text));
  return {
    name: name.text,
    type: 'view',
    columns: columns ?? found.columns,
    foreignKeys: [],
    indexes: [],
    withoutRowid: false,
    strict: false,
    sql: `CREATE VIEW ${text.slice(name.span.offset)}`,
    problem: columns === undefined ? found.problem : null,
  };
}

/**
 * The columns that a SELECT returns, as far as its text tells: names, and the declared type where a column of a known
 * table is passed through. `problem` says which table a `*` needs and is not known.
 */
export function selectColumns(
  select: Select,
  text: string,
  known: Known,
): { columns: Column[]; problem: string | null } {
  if (select.select.type === 'SelectValues') {
    const width = select.select.values[0]?.values.length ?? 0;
    return { columns: Array.from({ length: width }, (_, i) => plainColumn(`column${i + 1}`, '')), problem: null };
  }
  const scope = withCommonTables(select, text, known);
  const problems: string[] = [];
  const sources = sourcesOf(select.select.from, text, scope, problems);
  const columns = distinct(select.select.columns.flatMap((column) => columnsOf(column, text, sources)));
  const star = select.select.columns.some(({ type }) => type !== 'ExprResultColumn');
  return { columns, problem: star ? (problems[0] ?? null) : null };
}

/** The known tables, and over them those of the WITH clause. */
function withCommonTables(select: Select, text: string, known: Known): Known {
  if (select.with === undefined) return known;
  const scope = new Map(known);
  for (const { tblName, columns, select: body } of select.with.ctes) {
    const found = selectColumns(body, text, scope).columns;
    const named = columns?.map(({ colName }, position) => renamed(found[position], colName.text)) ?? found;
    scope.set(tblName.text.toLowerCase(), { ...EMPTY_VIEW, name: tblName.text, columns: named });
  }
  return scope;
}

const EMPTY_VIEW: Table = {
  name: '',
  type: 'view',
  columns: [],
  foreignKeys: [],
  indexes: [],
  withoutRowid: false,
  strict: false,
  sql: null,
  problem: null,
};

function sourcesOf(from: FromClause | undefined, text: string, known: Known, problems: string[]): Source[] {
  const tables = [from?.select, ...(from?.joins ?? []).map(({ table }) => table)];
  return tables.flatMap((table) => (table === undefined ? [] : sourceOf(table, text, known, problems)));
}

function sourceOf(source: SelectTable, text: string, known: Known, problems: string[]): Source[] {
  if (source.type === 'SubSelectTable') return sourcesOf(source.from, text, known, problems);
  const alias = source.alias?.name.text;
  if (source.type === 'SelectSelectTable') {
    const { columns, problem } = selectColumns(source.select, text, known);
    if (problem !== null) problems.push(problem);
    return [{ name: alias ?? '', columns }];
  }
  const name = source.tblName.objName.text;
  const table = source.type === 'TableSelectTable' ? known.get(name.toLowerCase()) : undefined;
  if (table === undefined) problems.push(`its columns are unknown: there is no table "${name}" before it.`);
  return [{ name: alias ?? name, columns: table?.columns ?? [] }];
}

function columnsOf(column: ResultColumn, text: string, sources: Source[]): Column[] {
  if (column.type === 'StarResultColumn')
    return sources.flatMap((source) => source.columns.map((from) => renamed(from, from.name)));
  if (column.type === 'TableStarResultColumn') {
    const source = sources.find(({ name }) => name.toLowerCase() === column.table.text.toLowerCase());
    return (source?.columns ?? []).map((from) => renamed(from, from.name));
  }
  const { expr, alias } = column;
  const from = expr.type === 'QualifiedExpr' ? expr.column.text : expr.type === 'Id' ? expr.name : null;
  const table = expr.type === 'QualifiedExpr' ? expr.table.text : null;
  const origin = from === null ? undefined : findColumn(sources, table, from);
  return [
    renamed(
      origin,
      alias?.name.text ?? origin?.name ?? from ?? text.slice(expr.span.offset, expr.span.offset + expr.span.length),
    ),
  ];
}

function findColumn(sources: Source[], table: string | null, name: string): Column | undefined {
  return sources
    .filter((source) => table === null || source.name.toLowerCase() === table.toLowerCase())
    .flatMap((source) => source.columns)
    .find((column) => column.name.toLowerCase() === name.toLowerCase());
}

/** A column that passes through a SELECT keeps its declared type, nothing else. */
function renamed(from: Column | undefined, name: string): Column {
  return plainColumn(name, from?.declared ?? '');
}

/** The columns again, a name that stands there already with `:1`, `:2` … behind it, as SQLite tells them apart. */
function distinct(columns: readonly Column[]): Column[] {
  const used = new Set<string>();
  return columns.map((column) => {
    let { name } = column;
    for (let count = 1; used.has(nameKey(name)); count += 1) name = `${column.name}:${count}`;
    used.add(nameKey(name));
    return { ...column, name };
  });
}

function plainColumn(name: string, declared: string): Column {
  return {
    name,
    declared,
    kind: columnKind(declared),
    notNull: false,
    defaultSql: null,
    primaryKey: 0,
    generated: null,
    hidden: false,
    meaning: null,
  };
}
