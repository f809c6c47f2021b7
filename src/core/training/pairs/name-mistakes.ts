import type { Catalog, Table } from '../../../protocol/catalog.ts';
import { splitWords } from '../../link/words.ts';
import { nameKey, plainIdentifier } from '../../schema/identifiers.ts';
import { isPromptTable } from '../../schema/lines1-schema.ts';
import { type Random, shuffled } from '../../score/statistics/random.ts';
import { rangeOf } from '../../sql/ast/build-expression.ts';
import { parseQuery } from '../../sql/ast/parse-query.ts';
import type { Block, Query, Range } from '../../sql/ast/query.ts';
import { endOf, Source as Text } from '../../sql/ast/source.ts';
import { type ColumnName, fromItems, queriesIn } from '../../sql/ast/walk.ts';
import { resolveQuery } from '../../sql/scope/resolve.ts';
import type { Reference, Resolution, Source } from '../../sql/scope/scope.ts';
import { weighted } from './chance.ts';
import { inStyle } from './identifiers-in-style.ts';
import { plural, singular } from './name-words.ts';

/** Mistakes with names: nearly all errors of a small model's queries are of these kinds. */
export type MistakeKind =
  | 'column_of_other_source'
  | 'column_of_other_table'
  | 'invented_column'
  | 'invented_table'
  | 'other_table'
  | 'missing_join';

export interface Mistake {
  kind: MistakeKind;
  sql: string;
}

/**
 * How often each is tried first. Of 521 answers of a model of 135 million parameters to Spider's development questions 207
 * did not run: 151 for a column, 44 for a table.
 */
const KINDS: readonly (readonly [MistakeKind, number])[] = [
  ['column_of_other_source', 8],
  ['column_of_other_table', 4],
  ['invented_column', 6],
  ['invented_table', 4],
  ['other_table', 2],
  ['missing_join', 2],
];

interface Spoiler {
  sql: string;
  names: Resolution;
  catalog: Catalog;
  random: Random;
}

/**
 * Queries that differ from a right one by one mistake with a name, in the order in which they should be tried. Whether
 * SQLite refuses them is for SQLite to say. The same random numbers give the same ones.
 */
export function nameMistakes(sql: string, catalog: Catalog, random: Random): Mistake[] {
  const { query } = parseQuery(sql);
  if (query === null) return [];
  const spoiler: Spoiler = { sql, names: resolveQuery(query, sql, catalog), catalog, random };
  const left = new Map(KINDS);
  const mistakes: Mistake[] = [];
  while (left.size > 0) {
    const kind = weighted([...left], random);
    left.delete(kind);
    const spoilt = shuffled(SPOILS[kind](spoiler, query), random);
    mistakes.push(...spoilt.slice(0, 2).map((wrong) => ({ kind, sql: wrong })));
  }
  return mistakes;
}

const SPOILS: Record<MistakeKind, (spoiler: Spoiler, query: Query) => string[]> = {
  /** `T2.Population` where T1 has it: the commonest of all. */
  column_of_other_source: (spoiler) =>
    columnsIn(spoiler).flatMap(({ node, reference }) => {
      if (node.type !== 'QualifiedExpr') return [];
      const range = { offset: node.table.span.offset, length: node.table.span.length };
      return reference.scope.sources
        .filter((source) => source !== reference.source && !hasColumn(source, reference.column))
        .map(({ alias }) => put(spoiler.sql, range, plainIdentifier(alias)));
    }),
  column_of_other_table: (spoiler) =>
    columnsIn(spoiler).flatMap(({ node, reference }) => {
      const tables = spoiler.catalog.tables.filter(isPromptTable);
      const columns = tables.flatMap((table) => table.columns.map(({ name }) => name));
      const others = columns.filter((name) => !reference.scope.sources.some((source) => hasColumn(source, name)));
      return some(others, spoiler).map((name) => put(spoiler.sql, lastNameOf(node), plainIdentifier(name)));
    }),
  invented_column: (spoiler) =>
    columnsIn(spoiler).flatMap(({ node, reference }) => {
      const { relation } = reference.source;
      const table = relation.kind === 'table' ? relation.table.name : '';
      return some(inventedColumns(reference.column, table), spoiler)
        .filter((name) => !hasColumn(reference.source, name))
        .map((name) => put(spoiler.sql, lastNameOf(node), plainIdentifier(name)));
    }),
  invented_table: (spoiler, query) =>
    tablesIn(spoiler, query).flatMap(({ table, range }) =>
      some(inventedTables(table.name), spoiler)
        .filter((name) => !spoiler.catalog.tables.some((known) => nameKey(known.name) === nameKey(name)))
        .map((name) => put(spoiler.sql, range, plainIdentifier(name))),
    ),
  other_table: (spoiler, query) =>
    tablesIn(spoiler, query).flatMap(({ table, range }) =>
      some(
        spoiler.catalog.tables.filter((other) => other !== table && isPromptTable(other)),
        spoiler,
      ).map(({ name }) => put(spoiler.sql, range, plainIdentifier(name))),
    ),
  /** A join left out whose columns are still named. */
  missing_join: ({ sql }, query) => {
    const text = new Text(sql);
    return blocksIn(query).flatMap(({ from }) =>
      (from?.joins ?? []).map(({ range }) => {
        const start = text.endBefore(range.offset);
        return put(sql, { offset: start, length: endOf(range) - start }, '');
      }),
    );
  },
};

function put(sql: string, range: Range, after: string): string {
  return sql.slice(0, range.offset) + after + sql.slice(endOf(range));
}

function some<T>(items: readonly T[], { random }: Spoiler): T[] {
  return items.length === 0 ? [] : items.slice(random.below(items.length)).slice(0, 1);
}

function columnsIn({ names }: Spoiler): { node: ColumnName; reference: Extract<Reference, { kind: 'column' }> }[] {
  return [...names.names()].flatMap(([node, reference]) => (reference.kind === 'column' ? [{ node, reference }] : []));
}

function hasColumn({ relation, columns }: Source, name: string): boolean {
  const known = relation.kind === 'table' ? relation.table.columns.map((column) => column.name) : (columns ?? []);
  return known.some((column) => nameKey(column) === nameKey(name));
}

/** The range of a column's name without its table. */
function lastNameOf(node: ColumnName): Range {
  if (node.type === 'Id') return rangeOf(node);
  return { offset: node.column.span.offset, length: node.column.span.length };
}

function blocksIn(query: Query): Block[] {
  const own = query.arms.flatMap(({ core }) => (core.kind === 'select' ? [core] : []));
  return [...own, ...queriesIn(query).flatMap(blocksIn)];
}

function tablesIn({ names }: Spoiler, query: Query): { table: Table; range: Range }[] {
  return blocksIn(query).flatMap((block) => {
    const { sources } = names.scopeOf(block);
    return fromItems(block.from).flatMap((item) => {
      const relation = sources.find((source) => source.item === item)?.relation;
      return item.kind === 'table' && relation?.kind === 'table'
        ? [{ table: relation.table, range: item.name.range }]
        : [];
    });
  });
}

/** Names that a model writes in place of the one that it has seen: parts of it, with its table, in another style. */
function inventedColumns(column: string, table: string): string[] {
  const words = splitWords(column);
  const owner = splitWords(table).map(singular);
  const variants = [
    words.slice(1),
    words.slice(0, -1),
    [...owner, ...words],
    words.map((word, index) => (index === words.length - 1 ? plural(singular(word)) : word)),
    ...(words.length > 1 ? [[words.join('')]] : []),
    ...(words.length === 1
      ? [
          [...words, 'name'],
          [...words, 'id'],
        ]
      : []),
  ];
  return written(variants, column);
}

function inventedTables(table: string): string[] {
  const words = splitWords(table);
  const last = words.at(-1) ?? '';
  const variants = [
    words.slice(0, -1),
    words.slice(1),
    [...words.slice(0, -1), singular(last) === last ? plural(last) : singular(last)],
    words.map(singular),
    [words.join('')],
  ];
  return written(variants, table);
}

/** Words as names in the style of another name, without those that are that name. */
function written(variants: readonly string[][], like: string): string[] {
  const style = /^[A-Z]/.test(like) ? 'title_snake' : 'snake';
  const names = variants.filter((words) => words.length > 0).map((words) => inStyle(words, style));
  return [...new Set(names)].filter((name) => nameKey(name) !== nameKey(like) && !/^\d/.test(name));
}
