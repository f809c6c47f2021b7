import type { Catalog } from '../../../protocol/catalog.ts';
import { quoteText } from '../../schema/identifiers.ts';
import type { Block, FromItem, Query, Range } from '../../sql/ast/query.ts';
import { endOf } from '../../sql/ast/source.ts';
import { fromItems, queriesIn } from '../../sql/ast/walk.ts';
import { resolveQuery, tableOf } from '../../sql/scope/resolve.ts';
import type { BlockScope, Reference, Resolution, Source } from '../../sql/scope/scope.ts';
import { foldName, tokensOf } from '../../sql/tokens.ts';

/** One SELECT of a query with its names. */
export interface Side {
  readonly name: 'gold' | 'pred';
  readonly sql: string;
  readonly query: Query;
  readonly block: Block;
  readonly scope: BlockScope;
  readonly resolution: Resolution;
  readonly mentions: readonly Mention[];
  /** The FROM items of queries nested in the block, which are written by their table's name. */
  readonly inner: readonly FromItem[];
}

interface Mention {
  readonly range: Range;
  readonly reference: Reference;
}

/** How a column of a FROM item of the block is written; null where it cannot be. */
export type NameColumn = (source: Source, column: string) => string | null;

/** The names of a text, resolved once for all its blocks. */
export interface Names {
  readonly name: Side['name'];
  readonly sql: string;
  readonly resolution: Resolution;
  readonly mentions: readonly Mention[];
}

export function namesOf(name: Side['name'], query: Query, sql: string, catalog: Catalog): Names {
  const resolution = resolveQuery(query, sql, catalog);
  const mentions = [...resolution.names()]
    .map(([{ span }, reference]) => ({ range: { offset: span.offset, length: span.length }, reference }))
    .sort((a, b) => a.range.offset - b.range.offset);
  return { name, sql, resolution, mentions };
}

/** A block as one side of a comparison. @param query the query whose ORDER BY and LIMIT count as its own */
export function sideOf(names: Names, query: Query, block: Block): Side {
  const nested = queriesIn({ ...query, with: null, arms: query.arms.filter(({ core }) => core === block) });
  return { ...names, query, block, scope: names.resolution.scopeOf(block), inner: nested.flatMap(itemsIn) };
}

function itemsIn(query: Query): FromItem[] {
  const own = query.arms.flatMap(({ core }) => (core.kind === 'select' ? fromItems(core.from) : []));
  return [...own, ...queriesIn(query).flatMap(itemsIn)];
}

/** Folded name of the table behind a source; of a subquery its alias. */
export function sourceName(source: Source): string {
  return foldName(tableOf(source.relation) ?? source.alias);
}

interface Replacement {
  readonly range: Range;
  readonly text: string | null;
}

/**
 * A piece of a block with the columns of its FROM items named anew, aliases of select items spelled out, and texts in
 * double quotes written as texts. null where a column cannot be named.
 */
export function rewrite(side: Side, range: Range, nameColumn: NameColumn): string | null {
  return assemble(side.sql, range, replacementsOf(side, range, nameColumn, false));
}

function assemble(sql: string, range: Range, replacements: readonly Replacement[]): string | null {
  let text = '';
  let at = range.offset;
  for (const { range: place, text: instead } of replacements) {
    if (instead === null) return null;
    if (place.offset < at) continue;
    text += sql.slice(at, place.offset) + instead;
    at = endOf(place);
  }
  return text + sql.slice(at, endOf(range));
}

function replacementsOf(side: Side, range: Range, nameColumn: NameColumn, nested: boolean): Replacement[] {
  const inRange = (place: Range) => place.offset >= range.offset && endOf(place) <= endOf(range);
  return side.mentions
    .filter(({ range: place }) => inRange(place))
    .flatMap(({ range: place, reference }): Replacement[] => {
      const text = replacement(side, reference, nameColumn, nested);
      return text === undefined ? [] : [{ range: place, text }];
    });
}

/** undefined: it stays as it is written. */
function replacement(
  side: Side,
  reference: Reference,
  nameColumn: NameColumn,
  nested: boolean,
): string | null | undefined {
  if (reference.kind === 'text') return quoteText(reference.text);
  if (reference.kind === 'column') {
    if (reference.scope === side.scope) return nameColumn(reference.source, reference.column);
    return nested ? `${sourceName(reference.source)}.${foldName(reference.column)}` : undefined;
  }
  if (reference.kind !== 'alias' || reference.scope !== side.scope) return undefined;
  const { item, star } = reference.output;
  if (star !== null) return nameColumn(star.source, star.column);
  if (item.kind !== 'expression') return null;
  const inner = rewrite(side, item.expression.range, nameColumn);
  return inner === null ? null : `(${inner})`;
}

const SAME_WORDS: Record<string, string> = { '<>': '!=', '==': '=' };

/**
 * A text that two pieces share where they say the same of the same tables: names by table, no aliases, no white space and
 * no case outside of literals, no parentheses around the whole.
 */
export function canonical(side: Side, range: Range, nameColumn: NameColumn): string {
  const columns = replacementsOf(side, range, (source, column) => nameColumn(source, column) ?? '?', true);
  const tables = side.inner
    .filter((item) => item.range.offset >= range.offset && endOf(item.range) <= endOf(range) && item.kind === 'table')
    .map((item) => ({ range: item.range, text: item.kind === 'table' ? foldName(item.name.text) : null }));
  const all = [...columns, ...tables].sort((a, b) => a.range.offset - b.range.offset);
  return plain(assemble(side.sql, range, all) ?? '');
}

/** A text without what SQL does not mind. */
export function plain(sql: string): string {
  const words = tokensOf(sql).map(({ kind, text }) =>
    kind === 'STRING' ? text : (SAME_WORDS[text] ?? text.toLowerCase()),
  );
  while (words[0] === '(' && words.at(-1) === ')' && wrapsAll(words)) {
    words.pop();
    words.shift();
  }
  return words.join(' ');
}

function wrapsAll(words: readonly string[]): boolean {
  let depth = 0;
  for (const [index, word] of words.entries()) {
    if (word === '(') depth++;
    if (word === ')') depth--;
    if (depth === 0) return index === words.length - 1;
  }
  return false;
}

/** The FROM items of the block that a piece refers to, also from subqueries in it. */
export function sourcesIn(side: Side, range: Range): Set<Source> {
  const found = new Set<Source>();
  rewrite(side, range, (source) => {
    found.add(source);
    return '?';
  });
  return found;
}
