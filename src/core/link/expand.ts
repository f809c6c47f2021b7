import type { IndexedTable } from './catalog-index.ts';
import type { JoinWeights } from './weights.ts';

/** Ways are looked for between this many of the best tables, and are at most so many joins long. */
const SEEDS = 4;
const LONGEST_PATH = 4;

/**
 * The foreign-key hop: scores with what neighbours and the ways between the best tables add. A table that a query only
 * passes through is named by no word of the question; its neighbours are.
 * @param scores one a table, by the question alone
 */
export function expandScores(
  tables: readonly IndexedTable[],
  scores: readonly number[],
  weights: JoinWeights,
): number[] {
  const paths = pathScores(tables, scores, weights);
  return tables.map(
    (table, at) => (scores[at] ?? 0) + neighbourScore(tables, table, scores, weights) + (paths[at] ?? 0),
  );
}

function neighbourScore(
  tables: readonly IndexedTable[],
  { joins }: IndexedTable,
  scores: readonly number[],
  { neighbour, second, crowd }: JoinWeights,
): number {
  let best = 0;
  let next = 0;
  for (const to of joins) {
    const neighbours = tables[to]?.joins.length ?? 1;
    const given = (scores[to] ?? 0) * neighbour * neighbours ** -crowd;
    if (given > best) {
      next = best;
      best = given;
    } else if (given > next) next = given;
  }
  return best + second * next;
}

function pathScores(tables: readonly IndexedTable[], scores: readonly number[], weights: JoinWeights): number[] {
  const seeds = bestOf(scores, SEEDS);
  const distances = seeds.map((seed) => distancesFrom(tables, seed));
  const given = tables.map(() => 0);
  for (const [a, seed] of seeds.entries())
    for (let b = a + 1; b < seeds.length; b += 1) {
      const other = seeds[b] ?? -1;
      const fromA = distances[a];
      const fromB = distances[b];
      const length = fromA?.get(other) ?? 0;
      if (fromA === undefined || fromB === undefined || length < 2) continue;
      const base = weights.path * Math.min(scores[seed] ?? 0, scores[other] ?? 0);
      for (const step of stepsBetween(fromA, fromB, length))
        for (const table of step) given[table] = Math.max(given[table] ?? 0, base * step.length ** -weights.pathShare);
    }
  return given;
}

/** Positions of the highest scores above 0, the best first. */
function bestOf(scores: readonly number[], count: number): number[] {
  return [...scores.keys()]
    .filter((at) => (scores[at] ?? 0) > 0)
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
    .slice(0, count);
}

/** Number of joins to each table that can be reached within `LONGEST_PATH`. */
function distancesFrom(tables: readonly IndexedTable[], start: number): Map<number, number> {
  const distances = new Map([[start, 0]]);
  for (const [table, distance] of distances) {
    if (distance === LONGEST_PATH) break;
    for (const to of tables[table]?.joins ?? []) if (!distances.has(to)) distances.set(to, distance + 1);
  }
  return distances;
}

/** The tables on the shortest ways between two tables, by their distance from the first; without the two. */
function stepsBetween(
  fromA: ReadonlyMap<number, number>,
  fromB: ReadonlyMap<number, number>,
  length: number,
): number[][] {
  const steps: number[][] = Array.from({ length: length - 1 }, () => []);
  for (const [table, distance] of fromA)
    if (distance > 0 && distance < length && distance + (fromB.get(table) ?? LONGEST_PATH + 1) === length)
      steps[distance - 1]?.push(table);
  return steps;
}
