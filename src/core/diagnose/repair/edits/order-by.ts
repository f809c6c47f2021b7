import type { OrderItem } from '../../../sql/ast/query.ts';
import { between, endOf, textOf } from '../../../sql/ast/source.ts';
import { type ChangeParts, type Move, RANKS, single } from '../change.ts';
import { columnText, type Place, type RepairContext } from '../context.ts';
import { slotFeature } from '../features.ts';
import { formOf, wordOf, wordsOf } from '../forms.ts';
import { aggregatesOf, COUNT_ROWS } from './aggregate.ts';
import { rangeWithout } from './list.ts';

/** What rows can be ordered by. */
interface Key {
  text: string;
  form: string;
  words: readonly string[];
  prior: number;
}

/** Direction, term and presence of ORDER BY. */
export function orderByMoves(context: RepairContext): Move[] {
  return context.places
    .filter(({ query }) => query.arms.length === 1)
    .flatMap((place) => [...itemMoves(place, context), ...dropClause(place, context), ...addMoves(place)]);
}

/** The columns of a block, and aggregates of them where its rows are groups. */
function keysOf(place: Place): Key[] {
  const columns = place.columns.map((column) => ({
    text: columnText(place, column),
    form: column.form,
    words: [wordOf(column.form)],
    prior: 4,
  }));
  const isGrouped = place.block.groupBy !== null || place.scope.aggregates.length > 0;
  return isGrouped ? [COUNT_ROWS, ...aggregatesOf(place), ...columns] : columns;
}

function itemMoves(place: Place, context: RepairContext): Move[] {
  const { names, sql } = context;
  const items = place.query.orderBy?.items ?? [];
  return items.flatMap((item, index) => {
    const own = formOf(item.expression.node, names);
    const feature = slotFeature('order', own, item.descending);
    const old = wordsOf(item.expression.node, names);
    const before = textOf(sql, item.expression.range);
    const others = keysOf(place)
      .filter(({ form }) => form !== own)
      .map((key) =>
        single(key.prior + 1, {
          kind: 'order_by',
          range: item.expression.range,
          after: key.text,
          drops: [feature, ...old],
          gains: [slotFeature('order', key.form, item.descending), ...key.words],
          shown: { before: `ORDER BY ${before}`, after: `ORDER BY ${key.text}` },
        }),
      );
    const range = rangeWithout(items, index);
    const dropped = range === null ? [] : [single(3, { kind: 'order_by', range, after: '', drops: [feature, ...old] })];
    return [direction(item, own, context), ...others, ...dropped];
  });
}

function direction(item: OrderItem, form: string, { text, sql }: RepairContext): Move {
  const start = endOf(item.expression.range);
  const word = text.slice(start, endOf(item.range)).find(({ kind }) => kind === 'ASC' || kind === 'DESC');
  const made = item.descending ? 'ASC' : 'DESC';
  const before = textOf(sql, item.expression.range);
  const parts: ChangeParts = {
    kind: 'order_by',
    range: word === undefined ? { offset: start, length: 0 } : between(word.offset, word.end),
    after: word === undefined ? ` ${made}` : made,
    drops: [slotFeature('order', form, item.descending)],
    gains: [slotFeature('order', form, !item.descending)],
    shown: { before: `ORDER BY ${before}${item.descending ? ' DESC' : ''}`, after: `ORDER BY ${before} ${made}` },
  };
  return single(1, parts);
}

function dropClause({ query }: Place, { names, text }: RepairContext): Move[] {
  const { orderBy } = query;
  if (orderBy === null) return [];
  const drops = orderBy.items.flatMap(({ expression: { node }, descending }) => [
    slotFeature('order', formOf(node, names), descending),
    ...wordsOf(node, names),
  ]);
  const range = between(text.endBefore(orderBy.range.offset), endOf(orderBy.range));
  return [single(4, { kind: 'order_by', range, after: '', drops })];
}

function addMoves(place: Place): Move[] {
  const { query, block } = place;
  const { orderBy, limit } = query;
  // Inside a query, the order of rows matters only for LIMIT.
  if (place.arm === null && limit === null) return [];
  const offset = endOf(orderBy?.range ?? block.range);
  return keysOf(place).flatMap((key) =>
    [false, true].map((descending) =>
      single(key.prior + 2, {
        kind: 'order_by',
        range: { offset, length: 0 },
        after: `${orderBy === null ? ' ORDER BY' : ','} ${key.text}${descending ? ' DESC' : ''}`,
        rank: RANKS.order,
        gains: [slotFeature('order', key.form, descending), ...key.words],
      }),
    ),
  );
}
