import type { RowMark } from '../../protocol/grid.ts';
import type { SideDifference } from '../../protocol/result-side.ts';
import { rowKey, type Table } from '../score/rows.ts';
import { countKeys, strictKey } from '../score/strict-ex.ts';

/** One a row of each result; null where the row does not differ. */
export interface RowMarks {
  gold: (RowMark | null)[];
  pred: (RowMark | null)[];
}

export interface MarkOptions {
  /** Whether the order of rows counts. */
  ordered: boolean;
  /** A result has more rows than are given. */
  partial: boolean;
}

type Counts = ReadonlyMap<string, number>;

function marksOf(keys: readonly string[], gold: Counts, pred: Counts): (RowMark | null)[] {
  return keys.map((key, row) => {
    const counts = { gold: gold.get(key) ?? 0, pred: pred.get(key) ?? 0 };
    if (counts.gold === counts.pred) return null;
    const kind = counts.pred === 0 ? 'missing' : counts.gold === 0 ? 'extra' : 'recounted';
    return { kind, row, ...counts };
  });
}

/** Marks the rows that stand elsewhere, where the rows are the same and their order is not. */
function movedMarks(keys: readonly string[], others: readonly string[], counts: Counts): (RowMark | null)[] {
  return keys.map((key, row) => {
    const times = counts.get(key) ?? 0;
    return key === others[row] ? null : { kind: 'moved', row, gold: times, pred: times };
  });
}

/**
 * Marks every row of two results by how it differs from the other, under the equality of `strict_ex`. Results with
 * different numbers of columns have no row in common; their rows are not marked.
 */
export function markRows(
  gold: Table,
  pred: Table,
  { ordered, partial }: MarkOptions,
): { marks: RowMarks; difference: SideDifference } {
  const [goldColumns, predColumns] = [gold.columns.length, pred.columns.length];
  const about = { ordered, partial, goldColumns, predColumns };
  const unmarked = { gold: gold.rows.map(() => null), pred: pred.rows.map(() => null) };
  if (goldColumns !== predColumns)
    return { marks: unmarked, difference: { missing: 0, extra: 0, recounted: 0, moved: 0, ...about } };
  const goldKeys = gold.rows.map((row) => rowKey(row, strictKey));
  const predKeys = pred.rows.map((row) => rowKey(row, strictKey));
  const [goldCounts, predCounts] = [countKeys(goldKeys), countKeys(predKeys)];
  const marks: RowMarks = {
    gold: marksOf(goldKeys, goldCounts, predCounts),
    pred: marksOf(predKeys, goldCounts, predCounts),
  };
  const isSame = [...marks.gold, ...marks.pred].every((mark) => mark === null);
  if (isSame && ordered) {
    marks.gold = movedMarks(goldKeys, predKeys, goldCounts);
    marks.pred = movedMarks(predKeys, goldKeys, goldCounts);
  }
  const count = (list: readonly (RowMark | null)[], kind: RowMark['kind']) =>
    list.filter((mark) => mark?.kind === kind).length;
  return {
    marks,
    difference: {
      missing: count(marks.gold, 'missing'),
      extra: count(marks.pred, 'extra'),
      recounted: countKeys(goldKeys.filter((_, row) => marks.gold[row]?.kind === 'recounted')).size,
      moved: count(marks.gold, 'moved'),
      ...about,
    },
  };
}
