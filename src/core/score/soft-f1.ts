import { exactForm, keyOf, sameForm } from './cell-key.ts';
import { RowIndex } from './row-index.ts';
import type { Row, Rows } from './rows.ts';

/** The different rows in the order of their first appearance. */
function withoutDuplicates(rows: Rows): Rows {
  const index = new RowIndex(exactForm);
  for (const row of rows) index.add(row);
  return index.rows;
}

/** Rows of a few cells are searched faster than a set of them is made. */
const FEW_CELLS = 16;

/** How many cells of a row stand anywhere in the other. */
function countIn(cells: Row, others: Row): number {
  if (others.length <= FEW_CELLS) return cells.filter((cell) => others.some((other) => sameForm(cell, other))).length;
  const known = new Set(others.map(keyOf));
  return cells.filter((cell) => known.has(keyOf(cell))).length;
}

/**
 * BIRD mini-dev's Soft F1, from 0 to 1. Both results lose their duplicates, keeping the order; then row i of the gold is
 * paired with row i of the prediction. A pair adds, each divided by the number of the gold's columns: to the true
 * positives the predicted cells that stand anywhere in the gold row, to the false positives those that do not, to the
 * false negatives the gold cells that do not stand in the predicted row. A row without a partner adds one false negative
 * (gold) or one false positive (prediction). Two results without rows: 1.
 *
 * Source: `evaluation/evaluation_f1.py` of bird-bench/mini_dev. The caller gives 0 where Python could not fetch a result.
 */
export function softF1(gold: Rows, pred: Rows): number {
  if (gold.length === 0 && pred.length === 0) return 1;
  const goldRows = withoutDuplicates(gold);
  const predRows = withoutDuplicates(pred);
  let truePositives = 0;
  let falsePositives = Math.max(0, predRows.length - goldRows.length);
  let falseNegatives = Math.max(0, goldRows.length - predRows.length);
  for (let index = 0; index < Math.min(goldRows.length, predRows.length); index++) {
    const goldRow = goldRows[index] ?? [];
    const predRow = predRows[index] ?? [];
    const matches = countIn(predRow, goldRow);
    truePositives += matches / goldRow.length;
    falsePositives += (predRow.length - matches) / goldRow.length;
    falseNegatives += (goldRow.length - countIn(goldRow, predRow)) / goldRow.length;
  }
  const precision = truePositives === 0 ? 0 : truePositives / (truePositives + falsePositives);
  const recall = truePositives === 0 ? 0 : truePositives / (truePositives + falseNegatives);
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}
