import { exactForm } from './cell-key.ts';
import { RowIndex } from './row-index.ts';
import { type Rows, sameRows } from './rows.ts';

/** Whether a result holds text that is not UTF-8. Python's sqlite3 raises where it fetches such a value. */
export function hasUnreadableText(rows: Rows): boolean {
  return rows.some((row) =>
    row.some((cell) => typeof cell === 'object' && cell !== null && 'text' in cell && cell.invalid === true),
  );
}

/**
 * BIRD's execution accuracy: `set(predicted) == set(gold)` over the tuples of Python's sqlite3. The order and the number
 * of columns count, the order of rows and duplicates do not. Two results without rows are equal whatever their columns.
 *
 * Source: `bird/llm/src/evaluation.py` of AlibabaResearch/DAMO-ConvAI, `evaluation/evaluation_ex.py` of bird-bench/mini_dev.
 * The caller fails what Python could not fetch (`hasUnreadableText`).
 */
export function officialEx(gold: Rows, pred: Rows): boolean {
  if (sameRows(gold, pred)) return true;
  if (gold.length === 0 || pred.length === 0) return false;
  if (gold[0]?.length !== pred[0]?.length) return false;
  const index = new RowIndex(exactForm);
  for (const row of gold) index.add(row);
  const isFound = new Uint8Array(index.rows.length);
  let found = 0;
  for (const row of pred) {
    const place = index.find(row);
    if (place < 0) return false;
    if (isFound[place] === 0) found++;
    isFound[place] = 1;
  }
  return found === index.rows.length;
}
