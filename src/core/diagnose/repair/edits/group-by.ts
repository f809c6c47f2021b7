import { between, endOf } from '../../../sql/ast/source.ts';
import { type Move, RANKS, single } from '../change.ts';
import { columnText, type Place, type RepairContext } from '../context.ts';
import { slotFeature } from '../features.ts';
import { formOf, wordOf, wordsOf } from '../forms.ts';
import { rangeWithout } from './list.ts';

/** One term of GROUP BY left out or added, the clause left out or added; other columns for a term are column edits. */
export function groupByMoves(context: RepairContext): Move[] {
  return context.places.flatMap((place) => [...dropMoves(place, context), ...addMoves(place)]);
}

function dropMoves({ block }: Place, { names, text }: RepairContext): Move[] {
  const { groupBy, having } = block;
  if (groupBy === null) return [];
  const feature = (index: number) => {
    const node = groupBy.items[index]?.node;
    return node === undefined ? [] : [slotFeature('group', formOf(node, names)), ...wordsOf(node, names)];
  };
  const terms = groupBy.items.flatMap((_, index) => {
    const range = rangeWithout(groupBy.items, index);
    return range === null ? [] : [single(2, { kind: 'group_by', range, after: '', drops: feature(index) })];
  });
  if (having !== null) return terms;
  const range = between(text.endBefore(groupBy.range.offset), endOf(groupBy.range));
  const drops = groupBy.items.flatMap((_, index) => feature(index));
  return [...terms, single(4, { kind: 'group_by', range, after: '', drops })];
}

function addMoves(place: Place): Move[] {
  const { block, columns } = place;
  const { groupBy, where, from } = block;
  if (from === null) return [];
  const offset = endOf((groupBy ?? where ?? from).range);
  return columns.map((column) =>
    single(column.key ? 3 : 5, {
      kind: 'group_by',
      range: { offset, length: 0 },
      after: `${groupBy === null ? ' GROUP BY' : ','} ${columnText(place, column)}`,
      rank: RANKS.group,
      gains: [slotFeature('group', column.form), wordOf(column.form)],
    }),
  );
}
