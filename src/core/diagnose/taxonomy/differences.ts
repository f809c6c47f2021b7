import { columnNamesIn } from '../../sql/ast/walk.ts';
import type { Source } from '../../sql/scope/scope.ts';
import { type Assembly, limitForm } from './assembly.ts';
import type { Instance } from './instances.ts';
import { pairConditions } from './pair-conditions.ts';
import type { Piece, Pieces } from './pieces.ts';

/** Where two blocks differ. */
export type Area =
  | 'tables'
  | 'from'
  | 'join'
  | 'where'
  | 'group'
  | 'having'
  | 'item'
  | 'item_order'
  | 'distinct'
  | 'order'
  | 'limit';

/** One thing that the gold says otherwise than the prediction. */
export interface Difference {
  readonly area: Area;
  /** What the prediction says; empty where it says nothing of it. */
  readonly pred: readonly Piece[];
  readonly gold: readonly Piece[];
  /** Tables that only one side has. */
  readonly predTables: readonly Instance[];
  readonly goldTables: readonly Instance[];
  /** The prediction with this put right. */
  apply(assembly: Assembly): Assembly;
}

const NO_TABLES = { predTables: [], goldTables: [] };

/** All differences of two blocks, in the order in which SQL works. */
export function differencesOf(gold: Pieces, pred: Pieces, instances: readonly Instance[]): Difference[] {
  const tables = gold.flat && pred.flat ? tableDifferences(gold, pred, instances) : fromDifference(gold, pred);
  const joins = new Set(tables.flatMap((difference) => [...difference.gold, ...difference.pred]));
  const others = (pieces: Pieces) => pieces.conditions.filter((piece) => !joins.has(piece));
  return [
    ...tables,
    ...conditionDifferences(others(gold), others(pred), 'conditions'),
    ...groupDifference(gold, pred),
    ...conditionDifferences(gold.having, pred.having, 'having'),
    ...itemDifferences(gold.items, pred.items),
    ...distinctDifference(gold, pred),
    ...orderDifference(gold, pred),
    ...limitDifference(gold, pred),
  ];
}

/** Whether a condition joins two tables: a column of one is to equal a column of another. */
function isJoinCondition({ node, sources }: Piece): boolean {
  if (sources.size < 2) return false;
  if (node === null) return true;
  return (
    node.type === 'BinaryExpr' &&
    (node.op === 'Equals' || node.op === 'Is') &&
    [node.left, node.right].every((side) => columnNamesIn(side).length > 0)
  );
}

function mentions({ sources }: Piece, tables: readonly (Source | null)[]): boolean {
  return tables.some((table) => table !== null && sources.has(table));
}

/** A table of one side alone comes and goes with the conditions that join it. */
function tableDifferences(gold: Pieces, pred: Pieces, instances: readonly Instance[]): Difference[] {
  const goldTables = instances.filter((instance) => instance.pred === null);
  const predTables = instances.filter((instance) => instance.gold === null);
  if (goldTables.length === 0 && predTables.length === 0) return [];
  const joining = ({ conditions }: Pieces, tables: readonly (Source | null)[]) =>
    conditions.filter((piece) => isJoinCondition(piece) && mentions(piece, tables));
  const goldJoins = joining(
    gold,
    goldTables.map((instance) => instance.gold),
  );
  const predJoins = joining(
    pred,
    predTables.map((instance) => instance.pred),
  );
  return [
    {
      area: 'tables',
      gold: goldJoins,
      pred: predJoins,
      goldTables,
      predTables,
      apply: (assembly) => {
        if (typeof assembly.from === 'string') return assembly;
        const kept = [...assembly.from].filter((instance) => !predTables.includes(instance));
        const conditions = assembly.conditions.filter((piece) => !predJoins.includes(piece));
        return { ...assembly, from: new Set([...kept, ...goldTables]), conditions: [...conditions, ...goldJoins] };
      },
    },
  ];
}

/** FROM clauses that have to be taken as they are: an outer join, a parenthesised join, a function. */
function fromDifference(gold: Pieces, pred: Pieces): Difference[] {
  const whole = (pieces: Pieces): Piece[] => {
    const range = pieces.side.block.from?.range;
    return range === undefined
      ? []
      : [{ side: pieces.side, range, text: '', node: null, sources: new Set(), render: () => null, textAt: () => '' }];
  };
  return [
    {
      ...NO_TABLES,
      area: 'from',
      gold: whole(gold),
      pred: whole(pred),
      apply: (assembly) => ({ ...assembly, from: 'gold' }),
    },
  ];
}

function conditionDifferences(
  gold: readonly Piece[],
  pred: readonly Piece[],
  list: 'conditions' | 'having',
): Difference[] {
  return pairConditions(gold, pred).map(({ gold: one, pred: other }) => {
    const isJoin = areJoining([one, other].filter((piece) => piece !== null));
    return {
      ...NO_TABLES,
      area: list === 'having' ? 'having' : isJoin ? 'join' : 'where',
      gold: one === null ? [] : [one],
      pred: other === null ? [] : [other],
      apply: (assembly) => ({ ...assembly, [list]: replaced(assembly[list], other, one) }),
    };
  });
}

/** Conditions that join tables; in ON, whatever they compare. */
function areJoining(pieces: readonly Piece[]): boolean {
  const isInFrom = ({ side, range, sources }: Piece) => {
    const from = side.block.from?.range;
    return from !== undefined && sources.size > 1 && range.offset < from.offset + from.length;
  };
  return pieces.every(isJoinCondition) || pieces.some(isInFrom);
}

function replaced(pieces: readonly Piece[], old: Piece | null, instead: Piece | null): Piece[] {
  const added = instead === null ? [] : [instead];
  if (old === null) return [...pieces, ...added];
  return pieces.flatMap((piece) => (piece === old ? added : [piece]));
}

function sameTexts(gold: readonly Piece[] | null, pred: readonly Piece[] | null): boolean {
  if (gold === null || pred === null) return gold === pred;
  return gold.length === pred.length && gold.every(({ text }, index) => text === pred[index]?.text);
}

function groupDifference(gold: Pieces, pred: Pieces): Difference[] {
  const sorted = (pieces: readonly Piece[] | null) =>
    pieces === null ? null : pieces.toSorted((one, other) => (one.text < other.text ? -1 : 1));
  if (sameTexts(sorted(gold.group), sorted(pred.group))) return [];
  return [
    {
      ...NO_TABLES,
      area: 'group',
      gold: gold.group ?? [],
      pred: pred.group ?? [],
      apply: (assembly) => ({ ...assembly, group: gold.group }),
    },
  ];
}

/** Items by place where there are as many; the same ones in another order are one difference. */
function itemDifferences(gold: readonly Piece[], pred: readonly Piece[]): Difference[] {
  if (sameTexts(gold, pred)) return [];
  const whole = (area: Area): Difference => ({
    ...NO_TABLES,
    area,
    gold,
    pred,
    apply: (assembly) => ({ ...assembly, items: gold }),
  });
  const texts = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).sort();
  if (texts(gold).join('\n') === texts(pred).join('\n')) return [whole('item_order')];
  if (gold.length === pred.length) {
    const places = gold.flatMap((piece, index) => (piece.text === pred[index]?.text ? [] : [index]));
    return places.map((index) => itemAt(gold, pred, index));
  }
  return [whole('item')];
}

function itemAt(gold: readonly Piece[], pred: readonly Piece[], index: number): Difference {
  const [one, other] = [gold[index], pred[index]];
  return {
    ...NO_TABLES,
    area: 'item',
    gold: one === undefined ? [] : [one],
    pred: other === undefined ? [] : [other],
    apply: (assembly) => ({
      ...assembly,
      items: one === undefined ? assembly.items : assembly.items.map((piece) => (piece === other ? one : piece)),
    }),
  };
}

function distinctDifference(gold: Pieces, pred: Pieces): Difference[] {
  const isDistinct = ({ side }: Pieces) => side.block.distinct?.kind === 'DISTINCT';
  if (isDistinct(gold) === isDistinct(pred)) return [];
  const distinct = isDistinct(gold);
  return [{ ...NO_TABLES, area: 'distinct', gold: [], pred: [], apply: (assembly) => ({ ...assembly, distinct }) }];
}

function orderDifference(gold: Pieces, pred: Pieces): Difference[] {
  if (sameTexts(gold.order, pred.order)) return [];
  const { order } = gold;
  return [
    {
      ...NO_TABLES,
      area: 'order',
      gold: order ?? [],
      pred: pred.order ?? [],
      apply: (assembly) => ({ ...assembly, order }),
    },
  ];
}

function limitDifference(gold: Pieces, pred: Pieces): Difference[] {
  if (limitForm(gold.limit) === limitForm(pred.limit)) return [];
  const { limit } = gold;
  return [{ ...NO_TABLES, area: 'limit', gold: [], pred: [], apply: (assembly) => ({ ...assembly, limit }) }];
}
