import type { Block, Expr, Expression, FromItem, Query } from '../../sql/ast/query.ts';
import { expressionsOf, fromItems, queriesIn, tailExpressions } from '../../sql/ast/walk.ts';
import type { Resolution } from '../../sql/scope/scope.ts';
import { foldName } from '../../sql/tokens.ts';
import { formOf, wordsOf } from './forms.ts';

/**
 * What a query is made of, as a bag of short texts: its tables, items, conjuncts, grouping terms … each with its words.
 * The bags of two queries are compared to guess which edits bring one nearer to the other; nothing of a bag is SQL text.
 */
export type Feature = string;

/** Where an expression stands in its block. */
export type Area = 'item' | 'where' | 'having' | 'on' | 'group' | 'order';

/** An expression that counts as one feature: a select item, a conjunct, a term of GROUP BY or ORDER BY. */
export interface Slot {
  readonly area: Area;
  readonly expression: Expression;
  /** Of a term of ORDER BY. */
  readonly descending: boolean;
}

/** The feature of a whole expression at its place. */
export function slotFeature(area: Area, form: string, descending = false): Feature {
  return `${area} ${form}${descending ? ' desc' : ''}`;
}

/** The features of a slot. @param instead forms of nodes in it, as if they were replaced */
export function slotFeatures(slot: Slot, names: Resolution, instead?: ReadonlyMap<Expr, string>): Feature[] {
  return [slotFeature(slot.area, formOf(slot.expression.node, names, instead), slot.descending)];
}

/** The slots of a block, in order of the text; ORDER BY is its query's. */
export function slotsOf(block: Block): Slot[] {
  const slot = (area: Area) => (expression: Expression) => ({ area, expression, descending: false });
  return [
    ...block.items.flatMap((item) => (item.kind === 'expression' ? [slot('item')(item.expression)] : [])),
    ...(block.from?.joins.flatMap(({ on }) => on?.conjuncts ?? []).map(slot('on')) ?? []),
    ...(block.where?.conjuncts.map(slot('where')) ?? []),
    ...(block.groupBy?.items.map(slot('group')) ?? []),
    ...(block.having?.conjuncts.map(slot('having')) ?? []),
  ];
}

/** The slots of a query's ORDER BY. */
export function orderSlots(query: Query): Slot[] {
  return (query.orderBy?.items ?? []).map(({ expression, descending }) => ({ area: 'order', expression, descending }));
}

export const DISTINCT: Feature = 'distinct';
export const LEFT_JOIN: Feature = 'left join';

/** The feature of a FROM item; null: no table. */
export function fromFeature(table: string | null): Feature {
  return `from ${table === null ? '?' : foldName(table)}`;
}

/** The feature of a LIMIT. */
export function limitFeature(count: string): Feature {
  return `limit ${count}`;
}

/** The feature of a set operation. */
export function setFeature(operator: string): Feature {
  return `set ${operator}`;
}

/** The features of a query and of all queries in it. */
export function featuresOf(query: Query, names: Resolution): Feature[] {
  const { arms, limit } = query;
  const own = arms.flatMap(({ operator, core }) => [
    ...(operator === null ? [] : [setFeature(operator.kind)]),
    ...(core.kind === 'select' ? blockFeatures(core, names) : expressionsOf(core).flatMap(wordsIn(names))),
  ]);
  return [
    ...own,
    ...orderSlots(query).flatMap((slot) => slotFeatures(slot, names)),
    ...tailExpressions(query).flatMap(wordsIn(names)),
    ...(limit === null ? [] : [limitFeature(formOf(limit.count.node, names))]),
    ...queriesIn(query).flatMap((inner) => featuresOf(inner, names)),
  ];
}

function wordsIn(names: Resolution): (expression: Expression) => Feature[] {
  return ({ node }) => wordsOf(node, names);
}

function blockFeatures(block: Block, names: Resolution): Feature[] {
  return [
    ...(block.distinct?.kind === 'DISTINCT' ? [DISTINCT] : []),
    ...block.items.flatMap((item) => (item.kind === 'star' ? ['item *'] : [])),
    ...fromItems(block.from).map((item) => fromFeature(tableName(item))),
    ...(block.from?.joins.filter(({ kind }) => kind === 'left').map(() => LEFT_JOIN) ?? []),
    ...slotsOf(block).flatMap((slot) => slotFeatures(slot, names)),
    ...expressionsOf(block).flatMap(wordsIn(names)),
  ];
}

function tableName(item: FromItem): string | null {
  return item.kind === 'table' ? item.name.text : null;
}
