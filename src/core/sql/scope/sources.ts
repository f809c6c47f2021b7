import type { Catalog, Table } from '../../../protocol/catalog.ts';
import type { CommonTable, From, FromItem, Join, Query } from '../ast/query.ts';
import { foldName } from '../tokens.ts';
import type { Relation, Source } from './scope.ts';

/** What building sources needs to know of the query around. */
export interface SourceContext {
  readonly catalog: Catalog;
  /** The common table expression that a bare name means here, or null. */
  commonTable(name: string): { cte: CommonTable; recursive: boolean; columns: readonly string[] | null } | null;
  /** Resolves a FROM-subquery and gives its result columns. */
  columnsOf(query: Query): readonly string[] | null;
}

/** Tables that a catalog leaves out, and functions whose columns never change. */
const KNOWN_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  sqlite_schema: ['type', 'name', 'tbl_name', 'rootpage', 'sql'],
  sqlite_master: ['type', 'name', 'tbl_name', 'rootpage', 'sql'],
  json_each: ['key', 'value', 'type', 'atom', 'id', 'parent', 'fullkey', 'path'],
  json_tree: ['key', 'value', 'type', 'atom', 'id', 'parent', 'fullkey', 'path'],
};

/** The sources of a FROM clause from left to right. */
export function buildSources(from: From | null, context: SourceContext): Source[] {
  if (from === null) return [];
  const sources = sourcesOf(from.first, context);
  for (const join of from.joins) {
    const joined = sourcesOf(join.item, context);
    const merged = mergedColumns(join, sources, joined);
    sources.push(...joined.map((source) => ({ ...source, merged: new Set([...source.merged, ...merged]) })));
  }
  return sources;
}

function sourcesOf(item: FromItem, context: SourceContext): Source[] {
  if (item.kind !== 'join') return [sourceOf(item, context)];
  const inner = buildSources(item.from, context);
  if (item.alias === null) return inner;
  const columns = inner.every(({ columns: known }) => known !== null) ? starColumns(inner) : null;
  return [{ item, alias: item.alias.text, relation: { kind: 'join' }, columns, merged: new Set() }];
}

function sourceOf(item: Exclude<FromItem, { kind: 'join' }>, context: SourceContext): Source {
  const { relation, columns } = relationOf(item, context);
  const own = item.kind === 'subquery' ? '' : item.name.text;
  return { item, alias: item.alias?.text ?? own, relation, columns, merged: new Set() };
}

function relationOf(
  item: Exclude<FromItem, { kind: 'join' }>,
  context: SourceContext,
): { relation: Relation; columns: readonly string[] | null } {
  if (item.kind === 'subquery')
    return { relation: { kind: 'subquery', query: item.query }, columns: context.columnsOf(item.query) };
  const name = item.name.text;
  const known = KNOWN_COLUMNS[foldName(name)] ?? null;
  if (item.kind === 'function') return { relation: { kind: 'function', name }, columns: known };
  const common = item.schema === null ? context.commonTable(name) : null;
  if (common !== null) {
    const { cte, recursive, columns } = common;
    return { relation: { kind: 'cte', cte, recursive }, columns };
  }
  const table = tableNamed(context.catalog, name);
  if (table === null) return { relation: { kind: 'unknown', name }, columns: known };
  const visible = table.columns.filter(({ hidden }) => !hidden).map((column) => column.name);
  return {
    relation: { kind: table.type === 'view' ? 'view' : 'table', table },
    columns: table.problem === null ? visible : null,
  };
}

/** The table or view of a name, by SQLite's comparison of names. */
export function tableNamed(catalog: Catalog, name: string): Table | null {
  const key = foldName(name);
  return catalog.tables.find((table) => foldName(table.name) === key) ?? null;
}

function mergedColumns(join: Join, left: readonly Source[], right: readonly Source[]): Set<string> {
  if (join.using !== null) return new Set(join.using.columns.map(({ text }) => foldName(text)));
  if (!join.natural) return new Set();
  const names = (sources: readonly Source[]) => sources.flatMap(({ columns }) => columns ?? []).map(foldName);
  const onLeft = new Set(names(left));
  return new Set(names(right).filter((name) => onLeft.has(name)));
}

/** The columns of `*`: merged ones once. */
export function starOf(sources: readonly Source[]): { source: Source; column: string }[] {
  return sources.flatMap((source) =>
    (source.columns ?? [])
      .filter((column) => !source.merged.has(foldName(column)))
      .map((column) => ({ source, column })),
  );
}

function starColumns(sources: readonly Source[]): string[] {
  return starOf(sources).map(({ column }) => column);
}

const ROWID: ReadonlySet<string> = new Set(['rowid', '_rowid_', 'oid']);

/** How a source spells a column of that name; null where it has none. rowid counts where the table has one. */
export function columnOf(source: Source, name: string): string | null {
  const key = foldName(name);
  const { relation } = source;
  const names =
    relation.kind === 'table' ? relation.table.columns.map((column) => column.name) : (source.columns ?? []);
  const column = names.find((candidate) => foldName(candidate) === key);
  if (column !== undefined) return column;
  const hasRowid = relation.kind === 'table' && !relation.table.withoutRowid;
  return hasRowid && ROWID.has(key) ? name : null;
}

/** Whether a name is one of SQLite's names of the rowid. */
export function isRowidName(name: string): boolean {
  return ROWID.has(foldName(name));
}
