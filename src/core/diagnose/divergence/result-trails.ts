import type { TrailRow } from '../../../protocol/diagnosis.ts';
import type { RowCount } from '../../../protocol/score.ts';
import { diffRows } from '../../score/row-diff.ts';
import type { Table } from '../../score/rows.ts';
import { MOST_TRAILS } from './trails.ts';

/** What one result has and the other has not, where rows lead back to no source rows. */
export interface ResultTrails {
  readonly missing: TrailRow[];
  readonly extra: TrailRow[];
  readonly totals: { readonly missing: number; readonly extra: number };
}

/** Rows of results by their cells. Rows that stand another number of times count as often as they are too many. */
export function resultTrails(gold: Table, pred: Table, ordered: boolean): ResultTrails {
  const diff = diffRows(gold, pred, { ordered, maxRows: MOST_TRAILS, maxBytes: 64 * 1024 });
  const lost = diff.recounted.filter((count) => count.gold > count.pred);
  const repeated = diff.recounted.filter((count) => count.gold < count.pred);
  const count = (rows: readonly RowCount[]) => rows.reduce((sum, row) => sum + Math.abs(row.gold - row.pred), 0);
  const trails = (columns: readonly string[], rows: readonly RowCount[]) =>
    rows.slice(0, MOST_TRAILS).map(({ row }) => trailOf(columns, row));
  return {
    missing: trails(diff.goldColumns, [...diff.missing, ...lost]),
    extra: trails(diff.predColumns, [...diff.extra, ...repeated]),
    totals: { missing: diff.totals.missing + count(lost), extra: diff.totals.extra + count(repeated) },
  };
}

function trailOf(columns: readonly string[], row: RowCount['row']): TrailRow {
  return {
    key: [],
    cells: row.map((value, index) => ({ name: columns[index] ?? '', value })),
    dies: null,
    conjuncts: [],
  };
}
