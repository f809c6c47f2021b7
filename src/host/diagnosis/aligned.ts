import { type AlignedRow, type Alignment, alignResults } from '../../core/diagnose/rows/align.ts';
import type { ColumnMatch } from '../../core/diagnose/rows/columns.ts';
import type { Row, Table } from '../../core/score/rows.ts';
import { shortCell } from '../../core/score/short-cell.ts';
import type { AlignedCell, AlignedRowView, AlignedView } from '../../protocol/diagnosis-view.ts';
import { type JsonCell, toJsonCell } from '../../protocol/value.ts';

/** Most rows that are shown. */
const SHOWN = 200;
/** Most columns that are shown. */
const SHOWN_COLUMNS = 60;

/** Most UTF-16 units of a cell: a little more than a table shows, so that it is seen to go on. */
const LONGEST_CELL = 300;

const cellOf = (row: Row, column: number): JsonCell => toJsonCell(shortCell(row[column] ?? null, LONGEST_CELL));

function cellsOf(gold: Row | null, pred: Row | null, columns: ColumnMatch, changed: readonly number[]): AlignedCell[] {
  const goldCell = (column: number) => (gold === null ? {} : { gold: cellOf(gold, column) });
  const predCell = (column: number) => (pred === null ? {} : { pred: cellOf(pred, column) });
  return [
    ...columns.pairs.map((pair, index) => ({
      ...goldCell(pair.gold),
      ...predCell(pair.pred),
      differs: changed.includes(index),
    })),
    ...columns.goldOnly.map((column) => ({ ...goldCell(column), differs: false })),
    ...columns.predOnly.map((column) => ({ ...predCell(column), differs: false })),
  ].slice(0, SHOWN_COLUMNS);
}

function rowOf(row: AlignedRow, gold: Table, pred: Table, columns: ColumnMatch): AlignedRowView {
  const at = (table: Table, place: number | null) => (place === null ? null : (table.rows[place] ?? null));
  return {
    kind: row.kind,
    goldRow: row.gold === null ? null : row.gold + 1,
    predRow: row.pred === null ? null : row.pred + 1,
    goldTimes: row.goldTimes,
    predTimes: row.predTimes,
    cells: cellsOf(at(gold, row.gold), at(pred, row.pred), columns, row.changed),
  };
}

const nameOf = (table: Table, column: number) => table.columns[column] ?? '';

/** How the columns would have to be arranged; null where they are. */
function suggestionOf(columns: ColumnMatch, gold: Table, pred: Table): string | null {
  if (!columns.differs) return null;
  const moved = columns.pairs
    .filter((pair) => pair.gold !== pair.pred)
    .map((pair) => `column ${pair.gold + 1} of the gold (${nameOf(gold, pair.gold)}) is column ${pair.pred + 1} here`);
  const missing = columns.goldOnly.map(
    (column) => `column ${column + 1} of the gold (${nameOf(gold, column)}) is not here`,
  );
  const extra = columns.predOnly.map(
    (column) => `column ${column + 1} here (${nameOf(pred, column)}) is not in the gold`,
  );
  const said = [...moved, ...missing, ...extra].join('; ');
  const end = columns.makesEqual ? ' With that put right the rows are the gold’s.' : '';
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.${end}`;
}

function totalsOf({ rows, same }: Alignment): AlignedView['totals'] {
  const count = (kind: AlignedRow['kind']) => rows.filter((row) => row.kind === kind).length;
  return {
    same,
    changed: count('changed'),
    missing: count('missing'),
    extra: count('extra'),
    repeated: count('repeated'),
    moved: count('moved'),
  };
}

/** The rows in which two results differ, beside each other. @param options.ordered whether the order of rows counts */
export function alignedView(
  gold: Table & { truncated: boolean },
  pred: Table & { truncated: boolean },
  options: { ordered: boolean },
): AlignedView {
  const alignment = alignResults(gold, pred, options.ordered);
  const { columns } = alignment;
  const heads = [
    ...columns.pairs.map((pair) => ({ gold: nameOf(gold, pair.gold), pred: nameOf(pred, pair.pred) })),
    ...columns.goldOnly.map((column) => ({ gold: nameOf(gold, column), pred: null })),
    ...columns.predOnly.map((column) => ({ gold: null, pred: nameOf(pred, column) })),
  ];
  return {
    columns: heads.slice(0, SHOWN_COLUMNS),
    suggestion: suggestionOf(columns, gold, pred),
    rows: alignment.rows.slice(0, SHOWN).map((row) => rowOf(row, gold, pred, columns)),
    totals: totalsOf(alignment),
    partial: gold.truncated || pred.truncated,
  };
}
