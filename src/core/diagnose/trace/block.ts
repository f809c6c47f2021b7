import { quoteIdentifier } from '../../schema/identifiers.ts';
import type {
  Block,
  Expression,
  From,
  FromItem,
  Join,
  OrderBy,
  Query,
  Range,
  SelectItem,
} from '../../sql/ast/query.ts';
import { between, endOf } from '../../sql/ast/source.ts';
import { callsIn, fromItems } from '../../sql/ast/walk.ts';
import { isWindowCall } from '../../sql/scope/functions.ts';
import type { BlockScope, Source } from '../../sql/scope/scope.ts';
import { columnSql, sourceKeys } from './keys.ts';
import { type Place, withText } from './place.ts';
import type { KeyPlan, StageParts } from './plan.ts';

/** A SELECT block with all that its stages are cut from. */
export class BlockText {
  readonly block: Block;
  readonly query: Query;
  readonly scope: BlockScope;
  readonly place: Place;
  /** One a source, in order of the sources. */
  readonly keys: readonly KeyPlan[];
  readonly with: string;
  /** The block's FROM, or the parenthesised join in it that is traced by itself. */
  readonly from: From | null;
  readonly #usesOuter: boolean;

  constructor(block: Block, query: Query, place: Place, from: From | null = block.from) {
    this.block = block;
    this.from = from;
    this.query = query;
    this.place = place;
    this.scope = place.renderer.resolution.scopeOf(block);
    this.keys = sourceKeys(this.scope.sources);
    this.with = withText(place);
    const ranges = query.arms.length === 1 ? [query.range] : [block.range];
    this.#usesOuter = ranges.some((range) => place.renderer.usesOuter(range, place.outer));
  }

  /** An expression with aliases of the block replaced by what they stand for. */
  expression(expression: Expression): string {
    return this.place.renderer.expression(expression, this.scope, this.place.outer);
  }

  /** A piece of the block as it is written. */
  kept(range: Range): string {
    return this.place.renderer.render(range, this.scope, this.place.outer, { aliases: 'keep', outer: 'join' });
  }

  /** `FROM …` up to the join of that index (-1: only the first item); '' for a block without FROM. */
  fromText(join: number): string {
    const { from } = this;
    const outer = this.#usesOuter ? this.place.outer : null;
    if (from === null) return outer === null ? '' : `FROM ${outer.name}`;
    const pieces = [this.itemText(from.first), ...from.joins.slice(0, join + 1).map((part) => this.#join(part))];
    if (outer === null) return `FROM ${pieces.join(' ')}`;
    // A RIGHT or FULL join adds rows that nothing left of it belongs to: the outer row has to stand behind it.
    const isLast = from.joins.some(({ kind }) => kind === 'right' || kind === 'full');
    return isLast
      ? `FROM ${pieces.join(' ')} CROSS JOIN ${outer.name}`
      : `FROM ${outer.name} CROSS JOIN ${pieces.join(' ')}`;
  }

  #join(join: Join): string {
    const operator = this.kept(between(join.operator.offset, join.item.range.offset));
    const tail = this.#condition(between(endOf(join.item.range), endOf(join.range)));
    return `${operator}${this.itemText(join.item)}${tail}`;
  }

  #condition(range: Range): string {
    return this.place.renderer.render(range, this.scope, this.place.outer, { aliases: 'expand', outer: 'join' });
  }

  /** An item of FROM as it must be written in a step. */
  itemText(item: FromItem): string {
    return this.place.renderer.render(item.range, this.scope, this.place.outer, {
      aliases: 'expand',
      outer: item.kind === 'function' ? 'join' : 'scalar',
    });
  }

  /** WHERE's condition, aliases expanded; null where there is none. */
  where(): string | null {
    return this.block.where === null ? null : this.expression(this.block.where.expression);
  }

  /** The terms of GROUP BY as expressions, numbers and aliases replaced. */
  groupTerms(): string[] {
    return (this.block.groupBy?.items ?? []).map((term) => this.#term(term, 'GROUP BY'));
  }

  groupBy(): string {
    const terms = this.groupTerms();
    return terms.length === 0 ? '' : `GROUP BY ${terms.join(', ')}`;
  }

  having(): string {
    return this.block.having === null ? '' : `HAVING ${this.expression(this.block.having.expression)}`;
  }

  windows(): string {
    return this.block.windows === null ? '' : this.kept(this.block.windows.range);
  }

  /** The terms of ORDER BY as expressions, with what stands behind each (`DESC NULLS LAST`). */
  orderTerms(orderBy: OrderBy): { sql: string; suffix: string }[] {
    return orderBy.items.map(({ expression, range }) => ({
      sql: this.#term(expression, 'ORDER BY'),
      suffix: this.place.renderer.text(between(endOf(expression.range), endOf(range))),
    }));
  }

  /** An integer alone would be taken for the number of a result column. */
  #term(term: Expression, clause: 'ORDER BY' | 'GROUP BY'): string {
    const index = this.place.renderer.resolution.outputOf(term.node, this.scope, clause);
    const output = index === null ? undefined : this.scope.outputs?.[index];
    const sql =
      output === undefined ? this.expression(term) : this.place.renderer.output(output, this.scope, this.place.outer);
    return /^[\s(+-]*\d+[\s)]*$/.test(sql) ? `(${sql}) + 0` : sql;
  }

  /** The select items as written. Stars are spelled out where the outer row stands in FROM. */
  items(): string {
    return this.block.items.map((item) => this.#keptItem(item)).join(', ');
  }

  #keptItem(item: SelectItem): string {
    if (item.kind === 'expression' || !this.#usesOuter) return this.kept(item.range);
    const columns = (this.scope.outputs ?? []).filter((output) => output.item === item);
    return columns.map(({ star }) => (star === null ? 'NULL' : columnSql(star.source.alias, star.column))).join(', ');
  }

  /** The select items with NULL in place of those that hold a window call: those are worked out after HAVING. */
  groupItems(): string {
    return this.block.items
      .map((item) => {
        if (item.kind === 'star' || !callsIn(item.expression.node).some(isWindowCall)) return this.#keptItem(item);
        return `NULL AS ${quoteIdentifier(this.place.renderer.text(item.range))}`;
      })
      .join(', ');
  }

  /** All columns of the sources up to a join, for showing rows. */
  star(sources: readonly Source[]): string {
    if (!this.#usesOuter) return '*';
    return sources.map(starOf).join(', ');
  }

  /** The sources of the items up to the join of that index. */
  sourcesUpTo(join: number): readonly Source[] {
    const items = fromItems(this.from).slice(0, join + 2);
    return this.scope.sources.filter(({ item }) => items.some((outer) => isInside(item.range, outer.range)));
  }

  keysUpTo(join: number): KeyPlan[] {
    const sources = new Set(this.sourcesUpTo(join));
    return this.keys.filter((_, index) => isOneOf(sources, this.scope.sources[index]));
  }

  /** The whole block as written, without its DISTINCT unless asked for. */
  core(distinct: boolean): string {
    const where = this.block.where === null ? '' : this.kept(this.block.where.range);
    const groupBy = this.block.groupBy === null ? '' : this.kept(this.block.groupBy.range);
    const having = this.block.having === null ? '' : this.kept(this.block.having.range);
    const word = distinct && this.block.distinct?.kind === 'DISTINCT' ? 'SELECT DISTINCT' : 'SELECT';
    const last = (this.from?.joins.length ?? 0) - 1;
    return joined([word, this.items(), this.fromText(last), where, groupBy, having, this.windows()]);
  }

  /** The pieces of a stage that has the clauses up to some point. */
  parts(join: number, until: { where?: boolean; group?: boolean; having?: boolean; windows?: boolean }): StageParts {
    return {
      with: this.with,
      from: this.fromText(join),
      where: until.where ? this.where() : null,
      groupBy: until.group ? this.groupBy() : '',
      having: until.having ? this.having() : '',
      windows: until.windows ? this.windows() : '',
      groupItems: until.group ? this.groupItems() : '',
      orderBy: '',
      limit: '',
    };
  }
}

function isOneOf<T>(set: ReadonlySet<T>, value: T | undefined): boolean {
  return value !== undefined && set.has(value);
}

function isInside(inner: Range, outer: Range): boolean {
  return inner.offset >= outer.offset && endOf(inner) <= endOf(outer);
}

/** Pieces of a statement with a space between, empty ones left out. */
export function joined(pieces: readonly string[]): string {
  return pieces.filter((piece) => piece !== '').join(' ');
}

/** A subquery without alias has no star of its own: its columns are named. */
function starOf({ alias, columns }: Source): string {
  if (alias !== '') return `${quoteIdentifier(alias)}.*`;
  return columns === null || columns.length === 0 ? '*' : columns.map((name) => columnSql(alias, name)).join(', ');
}
