// One known mistake planted in a right query: what a diagnosis should name and a repair should undo. Written without the
// generators of edits in src/core/diagnose/repair, so that the two can disagree.
import type { Random } from '../../src/core/score/statistics/random.ts';
import { rangeOf } from '../../src/core/sql/ast/build-expression.ts';
import type { Block, Expr, Query, Range } from '../../src/core/sql/ast/query.ts';
import { endOf, Source, textOf } from '../../src/core/sql/ast/source.ts';
import { callsIn, columnNamesIn, visitExpressions, withoutParentheses } from '../../src/core/sql/ast/walk.ts';
import { isAggregateCall } from '../../src/core/sql/scope/functions.ts';
import { tableOf } from '../../src/core/sql/scope/resolve.ts';
import type { Resolution } from '../../src/core/sql/scope/scope.ts';
import { foldName } from '../../src/core/sql/tokens.ts';
import type { ErrorClass } from '../../src/protocol/diagnosis.ts';

export const MUTATIONS = {
  drop_distinct: 'missing_distinct',
  add_distinct: 'extra_distinct',
  distinct_inside: 'distinct_in_aggregate',
  swap_aggregate: 'wrong_aggregate',
  drop_join: 'missing_join',
  wrong_join_column: 'wrong_join_condition',
  change_number: 'wrong_filter_value',
  change_text: 'wrong_filter_value',
  change_case: 'filter_case_or_space',
  flip_operator: 'wrong_filter_operator',
  wrong_filter_column: 'wrong_filter_column',
  drop_conjunct: 'missing_filter',
  swap_columns: 'swapped_columns',
  drop_column: 'missing_column',
  add_column: 'extra_column',
  wrong_column: 'wrong_column',
  drop_group_column: 'wrong_grouping',
  flip_order: 'wrong_order',
  limit_off: 'limit_off',
  set_operation: 'wrong_set_operation',
} as const satisfies Record<string, ErrorClass>;
export type MutationKind = keyof typeof MUTATIONS;

/** A right query with one mistake in it. */
export interface Mutation {
  kind: MutationKind;
  expected: ErrorClass;
  sql: string;
}

/** The query to be spoilt, and what mistakes are made of. */
export interface Right {
  sql: string;
  query: Query;
  names: Resolution;
  random: Random;
  /** Some texts that a column holds. */
  textsOf(table: string, column: string): Promise<string[]>;
}

type Spoil = (right: Right, block: Block, source: Source) => string[] | Promise<string[]>;

/** All mistakes that can be planted in the first block of a query. */
export async function mutationsOf(right: Right): Promise<Mutation[]> {
  const block = right.query.arms[0]?.core;
  if (block?.kind !== 'select') return [];
  const source = new Source(right.sql);
  const found: Mutation[] = [];
  for (const [kind, spoil] of Object.entries(SPOILS) as [MutationKind, Spoil][])
    for (const sql of await spoil(right, block, source)) found.push({ kind, expected: MUTATIONS[kind], sql });
  return found;
}

function put(sql: string, range: Range, after: string): string {
  return sql.slice(0, range.offset) + after + sql.slice(endOf(range));
}

function some<Item>(items: readonly Item[], random: Random): Item[] {
  return items.length === 0 ? [] : items.slice(random.below(items.length)).slice(0, 1);
}

const COMPARISONS = ['=', '!=', '<>', '<', '<=', '>', '>='];

const SPOILS: Record<MutationKind, Spoil> = {
  drop_distinct: ({ sql }, { distinct, itemsRange }) =>
    distinct === null
      ? []
      : [put(sql, { offset: distinct.range.offset, length: itemsRange.offset - distinct.range.offset }, '')],
  add_distinct: ({ sql }, { distinct, itemsRange }) =>
    distinct === null ? [put(sql, { offset: itemsRange.offset, length: 0 }, 'DISTINCT ')] : [],
  distinct_inside: (right, block) =>
    aggregatesIn(block).flatMap((call) => {
      const [argument] = call.type === 'FunctionCallExpr' ? (call.args ?? []) : [];
      if (argument === undefined || call.type !== 'FunctionCallExpr') return [];
      const mark = call.distinctness === 'Distinct' ? '' : 'DISTINCT ';
      const text = `${call.name.name}(${mark}${textOf(right.sql, argument.span)})`;
      return [put(right.sql, rangeOf(call), text)];
    }),
  swap_aggregate: (right, block) =>
    aggregatesIn(block).flatMap((call) => {
      const [argument] = call.type === 'FunctionCallExpr' ? (call.args ?? []) : [];
      if (argument === undefined) return [];
      const others = ['max', 'min', 'avg', 'sum'].filter((name) => name !== foldName(call.name.name));
      return some(others, right.random).map((name) =>
        put(right.sql, rangeOf(call), `${name}(${textOf(right.sql, argument.span)})`),
      );
    }),
  drop_join: ({ sql, names }, { from }, source) =>
    (from?.joins ?? []).flatMap((join) => {
      const isNeeded = [...names.names()].some(
        ([node, reference]) =>
          reference.kind === 'column' &&
          reference.source.item === join.item &&
          (node.span.offset < join.range.offset || node.span.offset >= endOf(join.range)),
      );
      const start = source.endBefore(join.range.offset);
      return isNeeded ? [] : [put(sql, { offset: start, length: endOf(join.range) - start }, '')];
    }),
  wrong_join_column: (right, { from }) =>
    (from?.joins ?? []).flatMap(({ on }) =>
      on === null ? [] : columnNamesIn(on.expression.node).flatMap((node) => otherColumn(right, node)),
    ),
  change_number: ({ sql }, block) =>
    literalsIn(block).flatMap((node) => {
      if (node.type !== 'NumericLiteral') return [];
      const number = Number(node.value);
      return [put(sql, rangeOf(node), String(Number.isInteger(number) ? number + 1 : number * 2))];
    }),
  change_text: (right, block) => changedText(right, block),
  change_case: ({ sql, names }, block) =>
    literalsIn(block).flatMap((node) => {
      const text = textOfLiteral(node, names);
      if (text === null) return [];
      const other = text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
      return other === text ? [] : [put(sql, rangeOf(node), quoted(other))];
    }),
  flip_operator: ({ sql, random }, block, source) =>
    comparisonsIn(block).flatMap(({ left, right }) => {
      const token = source
        .slice(endOf(rangeOf(left)), right.span.offset)
        .find(({ text }) => COMPARISONS.includes(text));
      if (token === undefined) return [];
      const same = token.text === '!=' || token.text === '<>' ? ['!=', '<>'] : [token.text];
      const others = COMPARISONS.filter((operator) => !same.includes(operator));
      return some(others, random).map((operator) =>
        put(sql, { offset: token.offset, length: token.end - token.offset }, operator),
      );
    }),
  wrong_filter_column: (right, { where }) =>
    (where?.conjuncts ?? []).flatMap(({ node }) => columnNamesIn(node).flatMap((name) => otherColumn(right, name))),
  drop_conjunct: ({ sql }, { where }, source) => {
    if (where === null) return [];
    const start = source.endBefore(where.range.offset);
    const whole = put(sql, { offset: start, length: endOf(where.range) - start }, '');
    const root = where.expression.node;
    if (root.type !== 'BinaryExpr' || root.op !== 'And') return where.conjuncts.length === 1 ? [whole] : [];
    const { left, right } = root;
    return [
      put(sql, { offset: left.span.offset, length: right.span.offset - left.span.offset }, ''),
      put(sql, { offset: endOf(rangeOf(left)), length: endOf(rangeOf(right)) - endOf(rangeOf(left)) }, ''),
    ];
  },
  swap_columns: ({ sql, query }, { items }) => {
    const [first, second] = items;
    if (first === undefined || second === undefined || query.arms.length > 1) return [];
    return [put(put(sql, second.range, textOf(sql, first.range)), first.range, textOf(sql, second.range))];
  },
  drop_column: ({ sql, query, random }, { items }) => {
    if (query.arms.length > 1) return [];
    return some(items.slice(1), random).flatMap((item) => {
      const before = items[items.indexOf(item) - 1];
      if (before === undefined) return [];
      const start = endOf(before.range);
      return [put(sql, { offset: start, length: endOf(item.range) - start }, '')];
    });
  },
  add_column: ({ sql, query, names, random }, block) => {
    if (query.arms.length > 1) return [];
    const { sources } = names.scopeOf(block);
    const names_ = sources.flatMap(({ alias, columns }) => (columns ?? []).map((column) => `"${alias}"."${column}"`));
    return some(names_, random).map((name) => put(sql, { offset: endOf(block.itemsRange), length: 0 }, `, ${name}`));
  },
  wrong_column: (right, { items }) =>
    items.flatMap((item) =>
      item.kind === 'star' ? [] : columnNamesIn(item.expression.node).flatMap((node) => otherColumn(right, node)),
    ),
  drop_group_column: ({ sql }, { groupBy, having }, source) => {
    if (groupBy === null) return [];
    const [first, second] = groupBy.items;
    if (first !== undefined && second !== undefined)
      return [put(sql, { offset: first.range.offset, length: second.range.offset - first.range.offset }, '')];
    const start = source.endBefore(groupBy.range.offset);
    return having === null ? [put(sql, { offset: start, length: endOf(groupBy.range) - start }, '')] : [];
  },
  flip_order: ({ sql, query }) =>
    (query.orderBy?.items ?? []).map(({ expression, range, descending }) => {
      const after = { offset: endOf(expression.range), length: endOf(range) - endOf(expression.range) };
      return put(sql, after, descending ? ' ASC' : ' DESC');
    }),
  limit_off: ({ sql, query: { limit } }) => {
    if (limit === null || limit.count.node.type !== 'NumericLiteral') return [];
    return [put(sql, limit.count.range, String(Number(limit.count.node.value) + 1))];
  },
  set_operation: ({ sql, query: { arms }, random }) =>
    arms.flatMap(({ operator }) =>
      operator === null
        ? []
        : some(
            ['UNION', 'INTERSECT', 'EXCEPT'].filter((kind) => kind !== operator.kind),
            random,
          ).map((kind) => put(sql, operator.range, kind)),
    ),
};

function aggregatesIn({ items, having }: Block) {
  const nodes = items.flatMap((item) => (item.kind === 'star' ? [] : [item.expression.node]));
  const all = having === null ? nodes : [...nodes, having.expression.node];
  return all.flatMap((node) => callsIn(node).filter(isAggregateCall));
}

function conditionNodes({ where, having }: Block): Expr[] {
  return [where, having].flatMap((condition) => condition?.expression.node ?? []);
}

function literalsIn(block: Block): Expr[] {
  return conditionNodes(block).flatMap((root) => {
    const found: Expr[] = [];
    visitExpressions(root, (node) => {
      if (node.type === 'NumericLiteral' || node.type === 'StringLiteral' || node.type === 'Id') found.push(node);
    });
    return found;
  });
}

function comparisonsIn(block: Block) {
  return conditionNodes(block).flatMap((root) => {
    const found: { left: Expr; right: Expr }[] = [];
    visitExpressions(root, (node) => {
      if (node.type === 'BinaryExpr' && !['And', 'Or'].includes(node.op)) found.push(node);
    });
    return found;
  });
}

function textOfLiteral(node: Expr, names: Resolution): string | null {
  if (node.type === 'StringLiteral') return node.value;
  if (node.type !== 'Id') return null;
  const reference = names.reference(node);
  return reference.kind === 'text' ? reference.text : null;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Another text that the column holds, in place of the one that it is compared with. */
async function changedText({ sql, names, random, textsOf }: Right, block: Block): Promise<string[]> {
  const found: string[] = [];
  for (const { left, right } of comparisonsIn(block)) {
    const column = withoutParentheses(left);
    const own = textOfLiteral(right, names);
    if (own === null || (column.type !== 'Id' && column.type !== 'QualifiedExpr')) continue;
    const reference = names.reference(column);
    const table = reference.kind === 'column' ? tableOf(reference.source.relation) : null;
    if (table === null || reference.kind !== 'column') continue;
    const texts = await textsOf(table, reference.column);
    for (const text of some(
      texts.filter((other) => other !== own),
      random,
    ))
      found.push(put(sql, rangeOf(right), quoted(text)));
  }
  return found;
}

/** Another column of the same FROM item. */
function otherColumn({ sql, names, random }: Right, node: Extract<Expr, { type: 'Id' | 'QualifiedExpr' }>): string[] {
  const reference = names.reference(node);
  if (reference.kind !== 'column') return [];
  const others = (reference.source.columns ?? []).filter((name) => foldName(name) !== foldName(reference.column));
  const prefix = node.type === 'QualifiedExpr' ? `${textOf(sql, node.table.span)}.` : '';
  return some(others, random).map((name) => put(sql, rangeOf(node), `${prefix}"${name}"`));
}
