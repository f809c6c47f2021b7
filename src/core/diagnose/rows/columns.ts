import { gridsOf } from '../../score/grid.ts';
import { pairRows } from '../../score/row-index.ts';
import type { Rows, Table } from '../../score/rows.ts';
import { strictForm } from '../../score/strict-ex.ts';

/** A column of the gold and the one of the prediction that stands for it, both from 0. */
export interface ColumnPair {
  readonly gold: number;
  readonly pred: number;
}

/** Which column of one result is which of the other. */
export interface ColumnMatch {
  /** In the gold's order. */
  readonly pairs: readonly ColumnPair[];
  readonly goldOnly: readonly number[];
  readonly predOnly: readonly number[];
  /** Some column stands elsewhere, or has no partner. */
  readonly differs: boolean;
  /** With the columns so arranged the results have the same rows. */
  readonly makesEqual: boolean;
}

/** Columns in common up to which a match is looked for. */
const MOST_COLUMNS = 40;
/** Rows of each result by which matches are tried. */
const MOST_ROWS = 2_000;
/** Share of values in common from which two columns are likely the same. */
const LIKELY = 0.3;

/** Value number to its count. */
type Counts = ReadonlyMap<number, number>;

function countsOf(column: Int32Array): Counts {
  const counts = new Map<number, number>();
  for (const value of column) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** How many values two columns share, by the larger number of rows: from 0 to 1. */
function overlap(one: Counts, other: Counts, height: number): number {
  let shared = 0;
  for (const [value, count] of one) shared += Math.min(count, other.get(value) ?? 0);
  return height === 0 ? 0 : shared / height;
}

const sameName = (one: string | undefined, other: string | undefined) =>
  one !== undefined && one.toLowerCase() === other?.toLowerCase();

/** The likeness of each column of the gold with each of the prediction. */
function likenesses(gold: Table, pred: Table): number[][] {
  const forms = (rows: Rows) => rows.map((row) => row.map(strictForm));
  const [goldGrid, predGrid] = gridsOf(forms(gold.rows), forms(pred.rows));
  const height = Math.max(gold.rows.length, pred.rows.length);
  const predCounts = predGrid.columns.map(countsOf);
  return gold.columns.map((_, column) => {
    const counts = countsOf(goldGrid.columns[column] ?? new Int32Array());
    return pred.columns.map((__, other) => overlap(counts, predCounts[other] ?? new Map(), height));
  });
}

/** Pairs columns, the likeliest first; names and places decide between equally likely ones. */
function assign(gold: Table, pred: Table, likeness: readonly number[][]): ColumnPair[] {
  const nudge = (one: number, other: number) =>
    (sameName(gold.columns[one], pred.columns[other]) ? 0.02 : 0) + (one === other ? 0.01 : 0);
  const ranked = likeness
    .flatMap((row, one) => row.map((value, other) => ({ gold: one, pred: other, value })))
    .filter(({ value }) => value >= LIKELY)
    .map((pair) => ({ ...pair, value: pair.value + nudge(pair.gold, pair.pred) }))
    .sort((a, b) => b.value - a.value);
  const pairs: ColumnPair[] = [];
  const isFree = (one: number, other: number) => pairs.every((pair) => pair.gold !== one && pair.pred !== other);
  for (const { gold: one, pred: other } of ranked) if (isFree(one, other)) pairs.push({ gold: one, pred: other });
  return [...pairs, ...assignRest(gold, pred, isFree)].sort((a, b) => a.gold - b.gold);
}

/** Pairs columns that share no values: by name, and all in order where as many are left on both sides. */
function assignRest(gold: Table, pred: Table, isFree: (one: number, other: number) => boolean): ColumnPair[] {
  const goldLeft = gold.columns.flatMap((_, one) => (isFree(one, -1) ? [one] : []));
  let predLeft = pred.columns.flatMap((_, other) => (isFree(-1, other) ? [other] : []));
  const named = goldLeft.flatMap((one) => {
    const other = predLeft.find((column) => sameName(gold.columns[one], pred.columns[column]));
    predLeft = predLeft.filter((column) => column !== other);
    return other === undefined ? [] : [{ gold: one, pred: other }];
  });
  const rest = goldLeft.filter((one) => named.every((pair) => pair.gold !== one));
  if (rest.length !== predLeft.length) return named;
  return [...named, ...rest.map((one, index) => ({ gold: one, pred: predLeft[index] ?? 0 }))];
}

/** The columns of rows that are paired, in the gold's order. */
export function project(rows: Rows, columns: readonly number[]): Rows {
  return rows.map((row) => columns.map((column) => row[column] ?? null));
}

/** How many rows two results share under a pairing of columns. */
function sharedRows(gold: Table, pred: Table, pairs: readonly ColumnPair[]): number {
  const { goldCounts, predCounts } = pairRows(
    project(
      gold.rows,
      pairs.map((pair) => pair.gold),
    ),
    project(
      pred.rows,
      pairs.map((pair) => pair.pred),
    ),
    strictForm,
  );
  return goldCounts.reduce((sum, count, place) => sum + Math.min(count, predCounts[place] ?? 0), 0);
}

/** Swaps partners of columns that hold alike values (two ids, two counts) where more rows are then shared. */
function improve(gold: Table, pred: Table, first: ColumnPair[], likeness: readonly number[][]): ColumnPair[] {
  let pairs = first;
  let best = sharedRows(gold, pred, pairs);
  for (let one = 0; one < pairs.length; one++)
    for (let other = one + 1; other < pairs.length && best < gold.rows.length; other++) {
      const [left, right] = [pairs[one], pairs[other]];
      if (!left || !right) continue;
      const alike = Math.min(likeness[left.gold]?.[right.pred] ?? 0, likeness[right.gold]?.[left.pred] ?? 0);
      if (alike < LIKELY) continue;
      const swapped = pairs.with(one, { ...left, pred: right.pred }).with(other, { ...right, pred: left.pred });
      const shared = sharedRows(gold, pred, swapped);
      if (shared > best) [pairs, best] = [swapped, shared];
    }
  return pairs;
}

function matchOf(gold: Table, pred: Table, pairs: readonly ColumnPair[], makesEqual: boolean): ColumnMatch {
  const goldOnly = [...gold.columns.keys()].filter((column) => pairs.every((pair) => pair.gold !== column));
  const predOnly = [...pred.columns.keys()].filter((column) => pairs.every((pair) => pair.pred !== column));
  const moved = pairs.some((pair) => pair.gold !== pair.pred);
  return { pairs, goldOnly, predOnly, differs: moved || goldOnly.length + predOnly.length > 0, makesEqual };
}

/**
 * Which columns of two results belong together: by place, unless an order of the columns, or a part of them, has more
 * rows in common. Columns are compared by the values they hold, under the equality of `strict_ex`.
 */
export function matchColumns(gold: Table, pred: Table): ColumnMatch {
  const byPlace = gold.columns
    .slice(0, pred.columns.length)
    .map((_, column): ColumnPair => ({ gold: column, pred: column }));
  const sameWidth = gold.columns.length === pred.columns.length;
  if (Math.max(gold.columns.length, pred.columns.length) > MOST_COLUMNS) return matchOf(gold, pred, byPlace, false);
  const first = (table: Table): Table => ({ columns: table.columns, rows: table.rows.slice(0, MOST_ROWS) });
  const [someGold, somePred] = [first(gold), first(pred)];
  const shared = sameWidth ? sharedRows(someGold, somePred, byPlace) : -1;
  if (sameWidth && shared === Math.max(someGold.rows.length, somePred.rows.length))
    return matchOf(gold, pred, byPlace, true);
  const likeness = likenesses(someGold, somePred);
  const pairs = improve(someGold, somePred, assign(gold, pred, likeness), likeness);
  const better = sharedRows(someGold, somePred, pairs);
  const isBetter = !sameWidth || better > shared || (better === shared && isClearer(likeness, pairs));
  if (pairs.length === 0 || !isBetter) return matchOf(gold, pred, byPlace, false);
  const all = gold.rows.length === pred.rows.length && pairs.length > 0;
  const makesEqual = all && sharedRows(gold, pred, pairs) === gold.rows.length;
  return matchOf(gold, pred, pairs, makesEqual);
}

/** Whether a column that stands elsewhere holds nearly what the gold's holds, and none that has moved fits its old place. */
function isClearer(likeness: readonly number[][], pairs: readonly ColumnPair[]): boolean {
  const moved = pairs
    .filter((pair) => pair.gold !== pair.pred)
    .map(({ gold, pred }) => ({ there: likeness[gold]?.[pred] ?? 0, here: likeness[gold]?.[gold] ?? 0 }));
  const isMeant = moved.some(({ there, here }) => there > 0.5 && here < there / 2);
  return isMeant && moved.every(({ there, here }) => here <= there);
}
