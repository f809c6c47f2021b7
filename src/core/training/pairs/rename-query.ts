import type { Catalog } from '../../../protocol/catalog.ts';
import { plainIdentifier, quoteText } from '../../schema/identifiers.ts';
import { rangeOf } from '../../sql/ast/build-expression.ts';
import { parseQuery } from '../../sql/ast/parse-query.ts';
import type { Block, FromItem, Name, Query, Range } from '../../sql/ast/query.ts';
import { endOf } from '../../sql/ast/source.ts';
import { type ColumnName, fromItems, queriesIn, withoutParentheses } from '../../sql/ast/walk.ts';
import { resolveQuery } from '../../sql/scope/resolve.ts';
import type { BlockScope, Reference, Resolution, Source } from '../../sql/scope/scope.ts';
import { columnOf } from '../../sql/scope/sources.ts';
import { foldName } from '../../sql/tokens.ts';
import type { SchemaNames } from './schema-names.ts';

interface Replacement {
  range: Range;
  text: string;
}

/**
 * A query with the names of tables and columns replaced, each written as the prompt shows it. What SQLite takes for a text
 * although it stands in double quotes gets single ones. All else stays: aliases, views, columns of functions.
 *
 * @returns null where that cannot be done: no query, a NATURAL JOIN, USING of columns that would no longer be of one name
 */
export function renameQuery(sql: string, catalog: Catalog, names: SchemaNames): string | null {
  const { query } = parseQuery(sql);
  if (query === null) return null;
  const renamer = new Renamer(resolveQuery(query, sql, catalog), names);
  return renamer.rename();
}

class Renamer {
  readonly #resolved: Resolution;
  readonly #names: SchemaNames;
  readonly #replaced: Replacement[] = [];
  #isPossible = true;

  constructor(resolved: Resolution, names: SchemaNames) {
    this.#resolved = resolved;
    this.#names = names;
  }

  rename(): string | null {
    const { query, sql } = this.#resolved;
    this.#query(query);
    for (const [node, reference] of this.#resolved.names()) this.#reference(node, reference);
    if (!this.#isPossible) return null;
    let text = sql;
    for (const { range, text: after } of this.#replaced.sort((one, two) => two.range.offset - one.range.offset))
      text = text.slice(0, range.offset) + after + text.slice(endOf(range));
    return text;
  }

  #replace(range: Range, name: string): void {
    this.#replaced.push({ range, text: plainIdentifier(name) });
  }

  #query(query: Query): void {
    for (const { core } of query.arms) if (core.kind === 'select') this.#block(core);
    for (const inner of queriesIn(query)) this.#query(inner);
  }

  #block(block: Block): void {
    const scope = this.#resolved.scopeOf(block);
    for (const item of fromItems(block.from)) this.#item(item, scope);
    for (const item of block.items)
      if (item.kind === 'star' && item.table !== null) this.#qualifier(item.table, scope.sources);
    for (const join of block.from?.joins ?? []) {
      if (join.natural) this.#isPossible = false;
      for (const column of join.using?.columns ?? []) this.#using(column, scope);
    }
  }

  #item(item: FromItem, scope: BlockScope): void {
    if (item.kind === 'join') for (const inner of fromItems(item.from)) this.#item(inner, scope);
    if (item.kind !== 'table') return;
    const source = scope.sources.find((candidate) => candidate.item === item);
    if (source?.relation.kind === 'table')
      this.#replace(item.name.range, this.#names.table(source.relation.table.name));
  }

  /** A table's name before a dot, which is the table's own where it has no alias. */
  #qualifier({ text, range }: Name, sources: readonly Source[]): void {
    const source = sources.find(({ alias }) => foldName(alias) === foldName(text));
    const hasOwnName = source?.item.alias === null && source.relation.kind === 'table';
    if (hasOwnName) this.#replace(range, this.#names.table(source.relation.table.name));
  }

  #using({ text, range }: Name, scope: BlockScope): void {
    const found = scope.sources.flatMap((source) => {
      const column = columnOf(source, text);
      return column === null ? [] : [this.#nameIn(source, column)];
    });
    this.#same(found, range);
  }

  /** Puts the one name that several are; it is not possible where they differ. */
  #same(found: readonly (string | null)[], range: Range): void {
    const [first] = found;
    if (found.some((name) => name !== first)) this.#isPossible = false;
    if (first !== undefined && first !== null) this.#replace(range, first);
  }

  #reference(node: ColumnName, reference: Reference): void {
    if (reference.kind === 'text') this.#replaced.push({ range: rangeOf(node), text: quoteText(reference.text) });
    if (reference.kind !== 'column') return;
    const { sources, column, source } = reference;
    const name = node.type === 'QualifiedExpr' ? node.column : node;
    const range = { offset: name.span.offset, length: name.span.length };
    this.#same(
      sources.map((one) => this.#nameIn(one, column)),
      node.type === 'QualifiedExpr' ? range : rangeOf(node),
    );
    if (node.type !== 'QualifiedExpr') return;
    const { text, span } = node.table;
    this.#qualifier({ text, range: { offset: span.offset, length: span.length } }, [source]);
  }

  /** The new name of a source's column; null where it keeps the one that is written. */
  #nameIn({ relation }: Source, column: string): string | null {
    switch (relation.kind) {
      case 'table': {
        const own = relation.table.columns.some(({ name }) => foldName(name) === foldName(column));
        return own ? this.#names.column(relation.table.name, column) : null;
      }
      case 'cte':
        return relation.cte.columns === null ? this.#outputName(relation.cte.query, column) : null;
      case 'subquery':
        return this.#outputName(relation.query, column);
      default:
        return null;
    }
  }

  /** The new name of a query's result column that has its name from a column. */
  #outputName(query: Query, column: string): string | null {
    const [first] = query.arms;
    if (first === undefined) return null;
    const output = this.#resolved.scopeOf(first.core).outputs?.find(({ name }) => foldName(name) === foldName(column));
    if (output === undefined) return null;
    if (output.star !== null) return this.#nameIn(output.star.source, output.star.column);
    const { item } = output;
    if (item.kind === 'star' || item.alias !== null) return null;
    const node = withoutParentheses(item.expression.node);
    if (node.type !== 'Id' && node.type !== 'QualifiedExpr') return null;
    const reference = this.#resolved.reference(node);
    return reference.kind === 'column' ? this.#nameIn(reference.source, reference.column) : null;
  }
}
