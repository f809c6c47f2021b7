import { quoteIdentifier } from '../../schema/identifiers.ts';
import { textOf } from '../../sql/ast/source.ts';
import type { Source } from '../../sql/scope/scope.ts';
import { foldName } from '../../sql/tokens.ts';
import { canonical, type NameColumn, plain, type Side, sourceName } from './side.ts';
import { withoutCase } from './without-case.ts';

/** A FROM item of one query, with its partner in the other. */
export interface Instance {
  readonly gold: Source | null;
  readonly pred: Source | null;
  /** What it is in canonical texts: the table's name, with a number where it stands more than once. */
  readonly name: string;
  /** How a query that is put together of both calls it. */
  readonly alias: string;
}

/** Pairs the FROM items of two blocks by table; where a table stands more than once, as their conditions agree best. */
export function pairInstances(gold: Side, pred: Side): Instance[] {
  const pairings = pairs(gold.scope.sources, pred.scope.sources, (one, other) => areSame(gold, one, pred, other));
  const scored = pairings.map((pairing) => ({ pairing, score: agreement(gold, pred, pairing) }));
  const best = scored.reduce(
    (one, other) => (other.score > one.score ? other : one),
    scored[0] ?? { pairing: [], score: 0 },
  );
  return named(best.pairing);
}

type Pairing = readonly { gold: Source | null; pred: Source | null }[];

const MOST_PAIRINGS = 12;

function areSame(gold: Side, one: Source, pred: Side, other: Source): boolean {
  const [left, right] = [one.relation, other.relation];
  if (left.kind === 'subquery' && right.kind === 'subquery')
    return plain(textOf(gold.sql, left.query.range)) === plain(textOf(pred.sql, right.query.range));
  if (left.kind === 'subquery' || right.kind === 'subquery') return false;
  return left.kind === right.kind && sourceName(one) === sourceName(other);
}

function pairs(
  gold: readonly Source[],
  pred: readonly Source[],
  same: (one: Source, other: Source) => boolean,
): Pairing[] {
  const [first, ...rest] = gold;
  if (first === undefined) return [pred.map((source) => ({ gold: null, pred: source }))];
  const partners = pred.filter((source) => same(first, source));
  const withPartner = partners.flatMap((partner) =>
    pairs(
      rest,
      pred.filter((source) => source !== partner),
      same,
    ).map((pairing) => [{ gold: first, pred: partner }, ...pairing]),
  );
  const isRare = gold.filter((source) => partners.some((partner) => same(source, partner))).length <= partners.length;
  const alone =
    isRare && partners.length > 0
      ? []
      : pairs(rest, pred, same).map((pairing) => [{ gold: first, pred: null }, ...pairing]);
  return [...withPartner, ...alone].slice(0, MOST_PAIRINGS);
}

function named(pairing: Pairing): Instance[] {
  const taken = new Map<string, number>();
  return pairing.map(({ gold, pred }, index) => {
    const source = gold ?? pred;
    const base = source === null ? '' : sourceName(source);
    const count = (taken.get(base) ?? 0) + 1;
    taken.set(base, count);
    return { gold, pred, name: count === 1 ? base : `${base}#${count}`, alias: `part_${index + 1}` };
  });
}

/** How canonical texts name the columns of one side. */
export function canonicalNames(instances: readonly Instance[], side: Side['name']): NameColumn {
  const names = new Map(instances.map((instance) => [instance[side], instance.name]));
  return (source, column) => `${names.get(source) ?? sourceName(source)}.${foldName(column)}`;
}

/** How a query that is put together names them; null for items that it has not. */
export function hybridNames(instances: ReadonlySet<Instance>, side: Side['name']): NameColumn {
  const names = new Map([...instances].map((instance) => [instance[side], instance.alias]));
  return (source, column) => {
    const alias = names.get(source);
    return alias === undefined ? null : `${alias}.${quoteIdentifier(column)}`;
  };
}

/** Pieces of both blocks that say the same under a pairing. */
function agreement(gold: Side, pred: Side, pairing: Pairing): number {
  const instances = named(pairing);
  const texts = (side: Side) => {
    const name = canonicalNames(instances, side.name);
    const { items, where, groupBy } = side.block;
    const ranges = [
      ...items.flatMap((item) => (item.kind === 'expression' ? [item.expression.range] : [])),
      ...(where?.conjuncts ?? []).map(({ range }) => range),
      ...(groupBy?.items ?? []).map(({ range }) => range),
    ];
    return ranges.map((range) => canonical(side, range, name));
  };
  const [own, others] = [texts(gold), texts(pred)];
  const shared = (change: (text: string) => string) => {
    const known = new Set(own.map(change));
    return others.filter((text) => known.has(change(text))).length;
  };
  return shared((text) => text) + shared(withoutCase) / 2;
}
