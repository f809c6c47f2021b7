import type { Expression, Range } from '../../sql/ast/query.ts';
import { endOf, textOf } from '../../sql/ast/source.ts';
import type { ColumnName } from '../../sql/ast/walk.ts';
import type { BlockScope, OutputColumn, Reference, Resolution } from '../../sql/scope/scope.ts';
import { foldName } from '../../sql/tokens.ts';
import { columnSql } from './keys.ts';

/** The row of the outer block for which a correlated subquery is traced: a one-row table of the columns it refers to. */
export interface OuterRow {
  readonly name: string;
  /** `name(columns) AS (SELECT …)`, preceded by those of blocks further out. */
  readonly definitions: readonly string[];
  /** Column of the table by `referenceKey`. */
  readonly columns: ReadonlyMap<string, string>;
}

/** The same for all mentions of one column or alias of one block. */
export function referenceKey(reference: Extract<Reference, { kind: 'column' | 'alias' }>): string {
  const block = reference.scope.core.range.offset;
  if (reference.kind === 'alias') return `${block} alias ${reference.output.item.range.offset}`;
  return `${block} column ${reference.source.item.range.offset} ${foldName(reference.column)}`;
}

export interface RenderOptions {
  /** `expand`: aliases of the block become the expressions they stand for. */
  readonly aliases: 'keep' | 'expand';
  /** Inside a FROM-subquery or a common table expression the outer row is not in sight: it is asked for by a subquery. */
  readonly outer: 'join' | 'scalar';
}

interface Mention {
  readonly node: ColumnName;
  readonly range: Range;
  readonly reference: Extract<Reference, { kind: 'column' | 'alias' }>;
}

/** Cuts pieces out of a SQL text, with the names in them replaced that mean something else, or nothing, in a step. */
export class Renderer {
  readonly resolution: Resolution;
  readonly #mentions: readonly Mention[];

  constructor(resolution: Resolution) {
    this.resolution = resolution;
    this.#mentions = mentionsIn(resolution);
  }

  /** @param scope the block that is being traced; null in texts that no block's aliases can stand in */
  render(range: Range, scope: BlockScope | null, outer: OuterRow | null, options: RenderOptions): string {
    const { sql } = this.resolution;
    let text = '';
    let at = range.offset;
    for (const mention of this.#mentionsIn(range)) {
      const replaced = this.#replacement(mention, scope, outer, options);
      if (replaced === null) continue;
      text += sql.slice(at, mention.range.offset) + replaced;
      at = endOf(mention.range);
    }
    return text + sql.slice(at, endOf(range));
  }

  /** Whether a piece refers to the outer row. */
  usesOuter(range: Range, outer: OuterRow | null): boolean {
    if (outer === null) return false;
    return this.#mentionsIn(range).some(({ reference }) => outer.columns.has(referenceKey(reference)));
  }

  /** The column references in a piece, those of nested subqueries included. */
  referencesIn(range: Range): Mention['reference'][] {
    return this.#mentionsIn(range).map(({ reference }) => reference);
  }

  /** What a result column of a block is, as an expression. */
  output({ item, star }: OutputColumn, scope: BlockScope, outer: OuterRow | null): string {
    if (star !== null) return columnSql(star.source.alias, star.column);
    if (item.kind !== 'expression') return 'NULL';
    return this.expression(item.expression, scope, outer);
  }

  /** An expression of the block being traced, aliases expanded. */
  expression({ range }: Expression, scope: BlockScope, outer: OuterRow | null): string {
    return this.render(range, scope, outer, { aliases: 'expand', outer: 'join' });
  }

  text(range: Range): string {
    return textOf(this.resolution.sql, range);
  }

  #mentionsIn(range: Range): Mention[] {
    const end = endOf(range);
    return this.#mentions.filter((mention) => mention.range.offset >= range.offset && endOf(mention.range) <= end);
  }

  #replacement(
    { reference }: Mention,
    scope: BlockScope | null,
    outer: OuterRow | null,
    options: RenderOptions,
  ): string | null {
    const column = outer?.columns.get(referenceKey(reference));
    if (outer !== null && column !== undefined)
      return options.outer === 'join' ? `${outer.name}.${column}` : `(SELECT ${column} FROM ${outer.name})`;
    if (options.aliases === 'keep' || reference.kind !== 'alias' || reference.scope !== scope) return null;
    return `(${this.output(reference.output, scope, outer)})`;
  }
}

function mentionsIn(resolution: Resolution): Mention[] {
  const found: Mention[] = [];
  for (const [node, reference] of resolution.names()) {
    if (reference.kind !== 'column' && reference.kind !== 'alias') continue;
    found.push({ node, range: { offset: node.span.offset, length: node.span.length }, reference });
  }
  return found.sort((a, b) => a.range.offset - b.range.offset);
}
