import type { Cell } from '../../protocol/value.ts';
import { exactForm } from './cell-key.ts';
import { sameUnderColumnOrder } from './column-order.ts';
import { type Rows, sameRows } from './rows.ts';
import { firstWithoutDistinct } from './without-distinct.ts';

/**
 * The statement that Spider's evaluation runs for a SQL text: `> =`, `< =` and `! =` closed up; unless `keepDistinct`, the
 * first statement alone and without DISTINCT; `YEAR(CURDATE())` replaced by 2020. With `keepDistinct` a second statement
 * stays, and fails in Python's sqlite3 as in our sandbox.
 *
 * Source: `exec_eval.py` of taoyds/test-suite-sql-eval.
 */
export function spiderStatement(sql: string, keepDistinct: boolean): string {
  const closed = sql.replaceAll('> =', '>=').replaceAll('< =', '<=').replaceAll('! =', '!=');
  const statement = keepDistinct ? closed : firstWithoutDistinct(closed);
  return statement.replace(/YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*/gi, '2020');
}

/**
 * Whether Spider's evaluation compares rows in order: where the gold's statement has `order by` with one space between,
 * anywhere, also in a subquery.
 *
 * @param goldStatement what `spiderStatement` made of the gold
 */
export function isSpiderOrdered(goldStatement: string): boolean {
  return goldStatement.toLowerCase().includes('order by');
}

/** As `exactForm`, but bytes that are not UTF-8 are left out of a text: Spider's script decodes with errors ignored. */
function spiderForm(cell: Cell): Cell {
  const isUnreadable = typeof cell === 'object' && cell !== null && 'text' in cell && cell.invalid === true;
  // The sandbox shows such bytes as U+FFFD; a text that truly holds that character beside them loses it here too.
  return isUnreadable ? cell.text.replaceAll('\uFFFD', '') : exactForm(cell);
}

/**
 * Spider's execution metric on one database: some order of the predicted columns gives the gold's multiset of rows (its
 * list of rows where `ordered`). Values are compared as in Python, names of columns not at all; two results without rows
 * are equal.
 *
 * Source: `result_eq` in `exec_eval.py` of taoyds/test-suite-sql-eval (Zhong, Yu, Klein 2020, "Semantic Evaluation for
 * Text-to-SQL with Distilled Test Suites").
 */
export function spiderEx(gold: Rows, pred: Rows, ordered: boolean): boolean {
  if (gold.length !== pred.length) return false;
  if (gold.length === 0) return true;
  if (gold[0]?.length !== pred[0]?.length) return false;
  return sameRows(gold, pred) || sameUnderColumnOrder(gold, pred, { ordered, form: spiderForm });
}
