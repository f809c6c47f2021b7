import type { Cell } from '../../protocol/value.ts';
import { ColumnSearch } from './column-search.ts';
import { distinctRows, gridsOf, sameColumns, sameDistinctRows } from './grid.ts';
import type { Rows } from './rows.ts';

/**
 * Whether two results of one height and width are equal under some order of the columns of one of them.
 *
 * Where the order of rows counts, that is a comparison of the multisets of columns. Where it does not, columns and rows
 * are told apart by what they hold (`ColumnSearch`).
 *
 * @param options.cellKey equal for equal cells
 */
export function sameUnderColumnOrder(
  gold: Rows,
  pred: Rows,
  options: { ordered: boolean; cellKey: (cell: Cell) => string },
): boolean {
  const [goldGrid, predGrid] = gridsOf(gold, pred, options.cellKey);
  if (options.ordered) return sameColumns(goldGrid, predGrid);
  const goldRows = distinctRows(goldGrid);
  const predRows = distinctRows(predGrid);
  if (goldRows.height !== predRows.height) return false;
  const asTheyStand = goldGrid.columns.map((_, column) => column);
  return sameDistinctRows(goldRows, predRows, asTheyStand) || new ColumnSearch(goldRows, predRows).isFound();
}
