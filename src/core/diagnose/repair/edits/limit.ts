import type { Query } from '../../../sql/ast/query.ts';
import { between, endOf } from '../../../sql/ast/source.ts';
import { queriesIn } from '../../../sql/ast/walk.ts';
import { type Move, RANKS, single } from '../change.ts';
import type { RepairContext } from '../context.ts';
import { limitFeature } from '../features.ts';
import { formOf, wordOf } from '../forms.ts';

/** Another number at LIMIT, LIMIT left out or added. */
export function limitMoves(context: RepairContext): Move[] {
  const all = (query: Query): Query[] => [query, ...queriesIn(query).flatMap(all)];
  return all(context.query).flatMap((query) =>
    query.limit === null ? addMoves(query, context) : changeMoves(query, query.limit, context),
  );
}

function numbersFor(context: RepairContext, isOutermost: boolean): string[] {
  const golds = context.gold.literals.filter(({ text, isNumber }) => isNumber && /^\d+$/.test(text));
  // As many rows as the gold has: that is known from its result.
  const rows = isOutermost && context.goldRows > 0 ? [String(context.goldRows)] : [];
  return [...new Set([...rows, ...golds.map(({ text }) => text), '1'])];
}

function changeMoves(query: Query, limit: NonNullable<Query['limit']>, context: RepairContext): Move[] {
  const { names, text } = context;
  const own = formOf(limit.count.node, names);
  const number = Number(own);
  const near = Number.isSafeInteger(number) ? [number + 1, number - 1].filter((next) => next > 0).map(String) : [];
  const drops = [limitFeature(own), wordOf(own)];
  const numbers = [...new Set([...near, ...numbersFor(context, query === context.query)])].filter(
    (next) => next !== own,
  );
  const start = text.endBefore(limit.range.offset);
  return [
    ...numbers.map((next) =>
      single(2, {
        kind: 'limit',
        range: limit.count.range,
        after: next,
        drops,
        gains: [limitFeature(next), wordOf(next)],
        shown: { before: `LIMIT ${own}`, after: `LIMIT ${next}` },
      }),
    ),
    single(2, { kind: 'limit', range: between(start, endOf(limit.range)), after: '', drops }),
  ];
}

function addMoves(query: Query, context: RepairContext): Move[] {
  const isOutermost = query === context.query;
  const offset = endOf(query.range);
  return numbersFor(context, isOutermost).map((count) =>
    single(isOutermost ? 3 : 6, {
      kind: 'limit',
      range: { offset, length: 0 },
      after: ` LIMIT ${count}`,
      rank: RANKS.limit,
      gains: [limitFeature(count), wordOf(count)],
    }),
  );
}
