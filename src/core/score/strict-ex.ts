import type { Reason } from '../../protocol/score.ts';
import type { Cell } from '../../protocol/value.ts';
import { keyOf } from './cell-key.ts';
import { pairRows } from './row-index.ts';
import { type Rows, sameRows, type Table } from './rows.ts';

/** Significant digits in which reals must agree. */
const REAL_DIGITS = 6;

/** From here on the rounding of reals takes away digits before the point. */
const SMALLEST_CUT = 10 ** REAL_DIGITS;

/** So near to an integer, a real from `SMALLEST_CUT` on is that integer: a sum of the same values in another order. */
const NOISE = 1e-5;

const LARGEST_MERGED = 2 ** 53;

function roundReal(real: number): number {
  const nearest = Math.round(real);
  const size = Math.abs(real);
  const isNoise = size >= SMALLEST_CUT && size < LARGEST_MERGED && Math.abs(real - nearest) < NOISE;
  return isNoise ? nearest : Number(real.toPrecision(REAL_DIGITS));
}

/**
 * The form under `strict_ex`.
 *
 * - A number that is an integer below 2^53 in absolute value is that integer, whether SQLite holds it as integer or real.
 * - Other reals are rounded to 6 significant digits (half away from zero, on the exact binary value); the rounded value may
 *   be an integer and then equals it: 2.9999999 equals 3. Rounding has borders: 1.000005 and 1.0000049 lie on two sides.
 * - A real from 10^6 on that is within 0.00001 of an integer is that integer, so that 1234567.0000001 equals 1234567.
 * - Integers from 2^53 on are exact and equal no real; reals from 2^53 on are rounded to 6 digits.
 * - Text, blobs, NULL and numbers are never equal to each other.
 */
export function strictForm(cell: Cell): Cell {
  return typeof cell !== 'number' || Number.isSafeInteger(cell) ? cell : roundReal(cell);
}

/** A key that two cells share exactly where they are equal under `strict_ex`. Keys can be joined without a separator. */
export function strictKey(cell: Cell): string {
  return keyOf(strictForm(cell));
}

/** How often each key stands in a list. */
export function countKeys(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function compareRows(gold: Rows, pred: Rows, ordered: boolean): Reason | null {
  if (sameRows(gold, pred)) return null;
  const paired = pairRows(gold, pred, strictForm);
  const { goldCounts, predCounts } = paired;
  if (goldCounts.every((count, place) => count === predCounts[place])) {
    const isSameOrder = !ordered || paired.gold.every((place, row) => place === paired.pred[row]);
    return isSameOrder ? null : 'row_order';
  }
  if (goldCounts.every((count, place) => count > 0 && (predCounts[place] ?? 0) > 0)) return 'duplicates_only';
  return gold.length === pred.length ? 'row_values' : 'row_count';
}

/**
 * The strict comparison: the same number of columns and the same multiset of rows under `strictForm`, in the same order
 * where `ordered`. Names of columns do not count.
 *
 * @returns null where they are equal, else the first reason that applies of `column_count`, `duplicates_only` (the same
 *   set of rows, other numbers of times), `row_count`, `row_values`, `row_order`
 */
export function compareStrictly(gold: Table, pred: Table, ordered: boolean): Reason | null {
  if (gold.columns.length !== pred.columns.length) return 'column_count';
  return compareRows(gold.rows, pred.rows, ordered);
}
