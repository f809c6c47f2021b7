import type { ExpressionItem, SelectItem } from '../../../sql/ast/query.ts';
import { between, endOf, textOf } from '../../../sql/ast/source.ts';
import { type Change, type Move, single } from '../change.ts';
import { columnText, type Place, type RepairContext } from '../context.ts';
import { slotFeature } from '../features.ts';
import { formOf, wordOf, wordsOf } from '../forms.ts';
import { aggregatesOf, COUNT_ROWS } from './aggregate.ts';
import { rangeWithout } from './list.ts';
import { renamed } from './references.ts';

/** Select items left out, added, put in another order, or named instead of a star. */
export function selectItemMoves(context: RepairContext): Move[] {
  return context.places.flatMap((place) =>
    place.arm === null
      ? []
      : [
          ...place.block.items.flatMap((item, index) => dropMove(item, index, place, context)),
          ...addMoves(place, context),
          ...swapMoves(place, context),
          ...orderMoves(place, context),
        ],
  );
}

function widthBy(place: Place, by: number): Change['width'] {
  return place.arm === null ? null : { arm: place.arm, by };
}

function dropMove(item: SelectItem, index: number, place: Place, context: RepairContext): Move[] {
  const { names } = context;
  if (item.kind === 'star') return starMoves(item, place);
  const range = rangeWithout(place.block.items, index);
  if (range === null) return [];
  const drops = [slotFeature('item', formOf(item.expression.node, names)), ...wordsOf(item.expression.node, names)];
  const dropped = single(1, { kind: 'select_item', range, after: '', drops, width: widthBy(place, -1) });
  return [{ ...dropped, changes: [...dropped.changes, ...aliasUses(item, place, context)] }];
}

/** Where the alias of an item that goes is used, its expression must stand instead. */
function aliasUses(item: ExpressionItem, place: Place, { names, sql }: RepairContext): Change[] {
  return [...names.names()].flatMap(([node, reference]) =>
    reference.kind === 'alias' && reference.output.item === item
      ? [renamed(node, textOf(sql, item.expression.range), place)]
      : [],
  );
}

function starMoves(item: SelectItem, place: Place): Move[] {
  const outputs = (place.scope.outputs ?? []).filter((output) => output.item === item);
  return place.columns.map((column) =>
    single(4, {
      kind: 'select_item',
      range: item.range,
      after: columnText(place, column),
      drops: ['item *'],
      gains: [slotFeature('item', column.form), wordOf(column.form)],
      width: widthBy(place, 1 - outputs.length),
    }),
  );
}

function addMoves(place: Place, { gold }: RepairContext): Move[] {
  const { items } = place.block;
  const columns = place.columns.map((column) => ({
    text: columnText(place, column),
    form: column.form,
    words: [wordOf(column.form)],
    prior: 4,
  }));
  return [COUNT_ROWS, ...columns, ...aggregatesOf(place)].flatMap((made) =>
    placesFor(made.form, items.length, gold.items).map((at) => {
      const before = items[at];
      const offset = before === undefined ? endOf(place.block.itemsRange) : before.range.offset;
      return single(made.prior + (at === items.length ? 0 : 1), {
        kind: 'select_item',
        range: { offset, length: 0 },
        after: before === undefined ? `, ${made.text}` : `${made.text}, `,
        gains: [slotFeature('item', made.form), ...made.words],
        width: widthBy(place, 1),
      });
    }),
  );
}

/** Where an item may be put: where the gold has the like, else in front and behind. */
function placesFor(form: string, count: number, golds: readonly string[]): number[] {
  const known = golds.indexOf(form);
  return known >= 0 ? [...new Set([Math.min(known, count), count])] : [count, 0];
}

function swapMoves(place: Place, context: RepairContext): Move[] {
  const { items } = place.block;
  return items.flatMap((_, left) =>
    items.slice(left + 1).map((_, offset) => {
      const order = items.map((_, index) => index);
      const right = left + 1 + offset;
      order[left] = right;
      order[right] = left;
      return reordered(order, place, context, 2);
    }),
  );
}

/** The order that the gold's items have, where all of them are among the block's own; those too many are left out. */
function orderMoves(place: Place, context: RepairContext): Move[] {
  const { items } = place.block;
  const forms = items.map((item) => (item.kind === 'star' ? '*' : formOf(item.expression.node, context.names)));
  const order = context.gold.items.map((form) => forms.indexOf(form));
  const isChoice = order.length > 0 && new Set(order).size === order.length && !order.includes(-1);
  const isOutOfOrder = order.some((from, index) => from < (order[index - 1] ?? -1));
  if (!isChoice || !isOutOfOrder) return [];
  if (order.length === items.length) return [reordered(order, place, context, 1)];
  const left = items.filter((_, index) => !order.includes(index));
  const drops = left.flatMap((item) =>
    item.kind === 'star'
      ? ['item *']
      : [
          slotFeature('item', formOf(item.expression.node, context.names)),
          ...wordsOf(item.expression.node, context.names),
        ],
  );
  const after = order.flatMap((from) => items[from] ?? []).map(({ range }) => textOf(context.sql, range));
  const width = widthBy(place, order.length - items.length);
  const uses = left.flatMap((item) => (item.kind === 'star' ? [] : aliasUses(item, place, context)));
  const arranged = single(1, {
    kind: 'select_item',
    range: place.block.itemsRange,
    after: after.join(', '),
    drops,
    width,
  });
  return [{ ...arranged, changes: [...arranged.changes, ...uses] }];
}

/** Items in another order; what does not move at both ends is left alone. */
function reordered(order: readonly number[], place: Place, { sql }: RepairContext, prior: number): Move {
  const { items } = place.block;
  const first = order.findIndex((from, index) => from !== index);
  const last = order.findLastIndex((from, index) => from !== index);
  const [start, end] = [items[first]?.range, items[last]?.range];
  const range = start === undefined || end === undefined ? place.block.itemsRange : between(start.offset, endOf(end));
  const texts = order.slice(first, last + 1).map((from) => {
    const item = items[from];
    return item === undefined ? '' : textOf(sql, item.range);
  });
  return single(prior, { kind: 'select_item', range, after: texts.join(', ') });
}
