import type {
  CommonTableExpr,
  CompoundOperator,
  Expr,
  OneSelect,
  ResultColumn,
  Select,
  SelectFrom,
  SortedColumn,
  With as WithNode,
} from 'sqlite3-parser';
import { buildCondition, buildExpression } from './build-expression.ts';
import { aliasFrom, buildFrom, nameFrom } from './build-from.ts';
import type {
  Arm,
  Block,
  CommonTable,
  Core,
  Expression,
  Limit,
  OrderBy,
  OrderItem,
  Query,
  Range,
  SelectItem,
  SetOperator,
  WindowDefinition,
  With,
} from './query.ts';
import { between, endOf, type Source } from './source.ts';

/** Our tree of a SELECT of the parser's. Ranges come from leaf spans and the tokens around them. */
export function buildQuery(select: Select, source: Source): Query {
  return new Builder(source).query(select);
}

const OPERATORS: Record<CompoundOperator, SetOperator> = {
  Union: 'UNION',
  UnionAll: 'UNION ALL',
  Except: 'EXCEPT',
  Intersect: 'INTERSECT',
};

class Builder {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  query(select: Select): Query {
    const withClause = select.with === undefined ? null : this.#with(select.with);
    const arms = [this.#arm(null, select.select)];
    for (const { operator, select: core } of select.compounds ?? []) arms.push(this.#arm(operator, core));
    const orderBy = this.#orderBy(select.orderBy ?? []);
    const limit = select.limit === undefined ? null : this.#limit(select.limit.expr, select.limit.offset);
    const start = (withClause ?? arms[0])?.range.offset ?? 0;
    const last = limit ?? orderBy ?? arms.at(-1);
    return {
      range: between(start, last === undefined ? start : endOf(last.range)),
      with: withClause,
      arms,
      orderBy,
      limit,
    };
  }

  readonly #subquery = (select: Select): Query => this.query(select);

  #expression(node: Expr): Expression {
    return buildExpression(node, this.#subquery);
  }

  #expressions(nodes: readonly Expr[] | undefined): Expression[] {
    return (nodes ?? []).map((node) => this.#expression(node));
  }

  #with(node: WithNode): With {
    const items = node.ctes.map((item) => this.#commonTable(item));
    const first = items[0]?.range.offset ?? node.span.offset;
    const keyword = this.#source.before(first, node.recursive ? 2 : 1);
    const last = items.at(-1);
    return {
      range: between(keyword.offset, last === undefined ? first : endOf(last.range)),
      recursive: node.recursive,
      items,
    };
  }

  #commonTable(node: CommonTableExpr): CommonTable {
    const query = this.query(node.select);
    const name = nameFrom(node.tblName);
    const close = this.#source.from(endOf(query.range));
    return {
      range: between(name.range.offset, close.end),
      name,
      columns: node.columns === undefined ? null : node.columns.map(({ colName }) => nameFrom(colName)),
      query,
    };
  }

  #arm(operator: CompoundOperator | null, select: OneSelect): Arm {
    const core: Core = select.type === 'SelectFrom' ? this.#block(select) : this.#values(select.values, select);
    if (operator === null) return { operator: null, range: core.range, core };
    const words = operator === 'UnionAll' ? 2 : 1;
    const first = this.#source.before(core.range.offset, words);
    const last = this.#source.before(core.range.offset);
    return {
      operator: { kind: OPERATORS[operator], range: between(first.offset, last.end) },
      range: core.range,
      core,
    };
  }

  #values(rows: readonly { values: readonly Expr[] }[], { span }: OneSelect): Core {
    const built = rows.map(({ values }) => this.#expressions(values));
    const first = built[0]?.[0];
    const last = built.at(-1)?.at(-1);
    if (first === undefined || last === undefined) throw new RangeError(`empty VALUES at ${span.offset}`);
    const keyword = this.#source.before(first.range.offset, 2);
    return { kind: 'values', range: between(keyword.offset, this.#source.from(endOf(last.range)).end), rows: built };
  }

  #block(select: SelectFrom): Block {
    const items = this.#items(select.columns);
    const itemsRange = between(items[0]?.range.offset ?? select.span.offset, endOf(items.at(-1)?.range ?? select.span));
    const word = this.#source.before(itemsRange.offset);
    const distinct =
      select.distinctness === undefined
        ? null
        : {
            kind: select.distinctness === 'Distinct' ? ('DISTINCT' as const) : ('ALL' as const),
            range: between(word.offset, word.end),
          };
    const start = distinct === null ? word.offset : this.#source.before(itemsRange.offset, 2).offset;
    const from = select.from === undefined ? null : buildFrom(select.from, true, this.#source, this.#subquery);
    const condition = (node: Expr | undefined) =>
      node === undefined ? null : buildCondition(node, this.#source, this.#subquery);
    const where = condition(select.whereClause);
    const groupBy = this.#clause(this.#expressions(select.groupBy), 2);
    const having = condition(select.having);
    const windows = this.#windows(select.windowClause ?? []);
    const last = windows ?? having ?? groupBy ?? where ?? from;
    const range = between(start, last === null ? endOf(itemsRange) : endOf(last.range));
    return { kind: 'select', range, distinct, itemsRange, items, from, where, groupBy, having, windows };
  }

  /** A clause whose keyword has `words` tokens before its first item; null where it has no items. */
  #clause<Item extends { range: Range }>(items: Item[], words: number): { range: Range; items: Item[] } | null {
    const first = items[0];
    const last = items.at(-1);
    if (first === undefined || last === undefined) return null;
    return { range: between(this.#source.before(first.range.offset, words).offset, endOf(last.range)), items };
  }

  /** Stars have no leaf to start at: they start where the comma, or the keyword, before them ends. */
  #items(columns: readonly ResultColumn[]): SelectItem[] {
    return columns.map((column) => {
      const end = column.span.offset + column.span.length;
      if (column.type === 'StarResultColumn') return { kind: 'star', range: between(end - 1, end), table: null };
      if (column.type === 'TableStarResultColumn') {
        const table = nameFrom(column.table);
        return { kind: 'star', range: between(table.range.offset, end), table };
      }
      const expression = this.#expression(column.expr);
      return {
        kind: 'expression',
        range: between(expression.range.offset, end),
        expression,
        alias: aliasFrom(column.alias),
      };
    });
  }

  #windows(nodes: NonNullable<SelectFrom['windowClause']>): Block['windows'] {
    const definitions = nodes.map(({ name, window, span }): WindowDefinition => {
      const terms = [...(window.partitionBy ?? []), ...(window.orderBy ?? []).map(({ expr }) => expr)];
      const named = nameFrom(name);
      const range = between(named.range.offset, span.offset + span.length);
      return { range, name: named, terms: this.#expressions(terms) };
    });
    const clause = this.#clause(definitions, 1);
    return clause === null ? null : { range: clause.range, definitions };
  }

  #orderBy(columns: readonly SortedColumn[]): OrderBy | null {
    const items = columns.map(({ expr, order, nulls, span }): OrderItem => {
      const expression = this.#expression(expr);
      return {
        range: between(expression.range.offset, span.offset + span.length),
        expression,
        descending: order === 'Desc',
        nulls: nulls === undefined ? null : nulls === 'First' ? 'first' : 'last',
      };
    });
    return this.#clause(items, 2);
  }

  #limit(count: Expr, offset: Expr | undefined): Limit {
    const built = this.#expression(count);
    const skip = offset === undefined ? null : this.#expression(offset);
    const ranges = skip === null ? [built.range] : [built.range, skip.range];
    const start = Math.min(...ranges.map((range) => range.offset));
    const range = between(this.#source.before(start).offset, Math.max(...ranges.map(endOf)));
    return { range, count: built, offset: skip };
  }
}
