import type { Form } from './cell-key.ts';
import { ColumnSearch } from './column-search.ts';
import { distinctRows, gridsOf, sameColumns } from './grid.ts';
import { pairRows } from './row-index.ts';
import type { Rows } from './rows.ts';

/**
 * Whether two results of one height and width are equal under some order of the columns of one of them.
 *
 * Where the order of rows counts, that is a comparison of the multisets of columns. Where it does not, columns and rows
 * are told apart by what they hold (`ColumnSearch`).
 *
 * @param options.form what makes two cells equal
 */
export function sameUnderColumnOrder(gold: Rows, pred: Rows, options: { ordered: boolean; form: Form }): boolean {
  if (options.ordered) {
    const [goldGrid, predGrid] = gridsOf(
      gold.map((row) => row.map(options.form)),
      pred.map((row) => row.map(options.form)),
    );
    return sameColumns(goldGrid, predGrid);
  }
  const { forms, goldCounts, predCounts } = pairRows(gold, pred, options.form);
  if (goldCounts.every((count, place) => count === predCounts[place])) return true;
  const [goldRows, predRows] = distinctRows(forms, goldCounts, predCounts);
  return goldRows.height === predRows.height && new ColumnSearch(goldRows, predRows).isFound();
}
