import { gridsOf } from '../../score/grid.ts';
import type { Rows } from '../../score/rows.ts';

/** Two rows that share most of their cells. */
export interface SimilarPair {
  readonly gold: number;
  readonly pred: number;
}

/** Most comparisons of cells: a fraction of a second. */
const MOST_COMPARISONS = 16_000_000;
/** Share of a row, by what its cells tell, that must be in common. */
const ENOUGH = 0.4;
/** Partners that are kept for a row of the gold in one round. */
const KEPT = 8;
const ROUNDS = 4;

interface Candidate extends SimilarPair {
  readonly score: number;
}

/** How much a shared cell of a column tells, by value: 1 where one row alone has it, near 0 where all have it. */
function weightsOf(column: Int32Array, more: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of column) counts.set(value, (counts.get(value) ?? 0) + 1);
  return new Map([...counts].map(([value, count]) => [value, more + 1 - (count - 1) / column.length]));
}

/** Whether a column tells rows apart on both sides, and half of its values stand on both: it is as good as a key. */
function isKey(gold: Int32Array, pred: Int32Array): boolean {
  const values = new Set(gold);
  if (values.size < gold.length || new Set(pred).size < pred.length) return false;
  const shared = pred.reduce((sum, value) => sum + (values.has(value) ? 1 : 0), 0);
  return shared > 0 && shared * 2 >= Math.min(gold.length, pred.length);
}

/** What the cells of rows of the gold tell, by column. */
class Likeness {
  readonly #gold: readonly Int32Array[];
  readonly #weights: readonly Map<number, number>[];
  readonly #enough: number;

  constructor(gold: readonly Int32Array[], pred: readonly Int32Array[]) {
    this.#gold = gold;
    this.#enough = ENOUGH * gold.length;
    // A key in common is enough, whatever else differs.
    this.#weights = gold.map((column, index) =>
      weightsOf(column, isKey(column, pred[index] ?? new Int32Array()) ? this.#enough : 0),
    );
  }

  /** Those of `others` that are most like a row of the gold, the best first. @param columns the cells of `others` */
  best(row: number, others: Int32Array, columns: readonly Int32Array[]): Candidate[] {
    const scores = new Float64Array(others.length);
    for (let index = 0; index < columns.length; index++)
      addShared(scores, columns[index], this.#gold[index]?.[row] ?? -1, this.#weights[index]);
    const found: Candidate[] = [];
    for (let place = 0; place < scores.length; place++) {
      const score = scores[place] ?? 0;
      const isBetter = found.length < KEPT || score > (found.at(-1)?.score ?? 0);
      if (score >= this.#enough && isBetter) keepBest(found, { gold: row, pred: others[place] ?? 0, score });
    }
    return found;
  }
}

function addShared(scores: Float64Array, column: Int32Array | undefined, value: number, weights?: Map<number, number>) {
  const weight = weights?.get(value) ?? 0;
  if (column === undefined || weight === 0) return;
  for (let place = 0; place < column.length; place++)
    if (column[place] === value) scores[place] = (scores[place] ?? 0) + weight;
}

function keepBest(found: Candidate[], candidate: Candidate): void {
  const at = found.findIndex((other) => other.score < candidate.score);
  found.splice(at < 0 ? found.length : at, 0, candidate);
  found.length = Math.min(found.length, KEPT);
}

/**
 * Pairs rows of two results that share most of their cells, or a cell of a column that tells all rows apart; each row once,
 * the likest first. A cell that few rows have counts for more than one that many have. Cells must be forms of one equality,
 * rows of one width. Of results too large for it the first rows are paired.
 */
export function pairSimilar(gold: Rows, pred: Rows): SimilarPair[] {
  const width = gold[0]?.length ?? 0;
  if (width === 0 || pred.length === 0) return [];
  const most = Math.max(1, Math.floor(Math.sqrt(MOST_COMPARISONS / width)));
  const [goldGrid, predGrid] = gridsOf(gold.slice(0, most), pred.slice(0, most));
  const likeness = new Likeness(goldGrid.columns, predGrid.columns);
  const pairs: SimilarPair[] = [];
  let goldFree = Int32Array.from({ length: goldGrid.height }, (_, row) => row);
  let predFree = Int32Array.from({ length: predGrid.height }, (_, row) => row);
  for (let round = 0; round < ROUNDS && goldFree.length > 0 && predFree.length > 0; round++) {
    const columns = predGrid.columns.map((column) => predFree.map((row) => column[row] ?? -1));
    const found = [...goldFree].flatMap((row) => likeness.best(row, predFree, columns));
    const [goldTaken, predTaken] = [new Set<number>(), new Set<number>()];
    // Rows as like as each other are paired in their order.
    for (const { gold: one, pred: other } of found.sort((a, b) => b.score - a.score || a.gold - b.gold)) {
      if (goldTaken.has(one) || predTaken.has(other)) continue;
      goldTaken.add(one);
      predTaken.add(other);
      pairs.push({ gold: one, pred: other });
    }
    if (goldTaken.size === 0) break;
    goldFree = goldFree.filter((row) => !goldTaken.has(row));
    predFree = predFree.filter((row) => !predTaken.has(row));
  }
  return pairs.sort((a, b) => a.gold - b.gold);
}
