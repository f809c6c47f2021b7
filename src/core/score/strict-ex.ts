import type { Reason } from '../../protocol/score.ts';
import type { Cell } from '../../protocol/value.ts';
import { contentKey } from './cell-key.ts';
import { type Rows, rowKey, sameRows, type Table } from './rows.ts';

/** Significant digits in which reals must agree. */
const REAL_DIGITS = 6;

/** From here on the rounding of reals takes away digits before the point. */
const SMALLEST_CUT = 10 ** REAL_DIGITS;

/** So near to an integer, a real from `SMALLEST_CUT` on is that integer: a sum of the same values in another order. */
const NOISE = 1e-5;

const LARGEST_MERGED = 2 ** 53;

function realKey(real: number): string {
  const size = Math.abs(real);
  if (size >= LARGEST_MERGED) return `r${real.toPrecision(REAL_DIGITS)};`;
  const nearest = Math.round(real);
  if (size >= SMALLEST_CUT && Math.abs(real - nearest) < NOISE) return `${nearest};`;
  return `${Number(real.toPrecision(REAL_DIGITS))};`;
}

/**
 * A key that two cells share exactly where they are equal under `strict_ex`.
 *
 * - A number that is an integer below 2^53 in absolute value is that integer, whether SQLite holds it as integer or real.
 * - Other reals are rounded to 6 significant digits (half away from zero, on the exact binary value); the rounded value may
 *   be an integer and then equals it: 2.9999999 equals 3. Rounding has borders: 1.000005 and 1.0000049 lie on two sides.
 * - A real from 10^6 on that is within 0.00001 of an integer is that integer, so that 1234567.0000001 equals 1234567.
 * - Integers from 2^53 on are exact and equal no real; reals from 2^53 on are rounded to 6 digits.
 * - Text, blobs, NULL and numbers are never equal to each other. No key is the beginning of another.
 */
export function strictKey(cell: Cell): string {
  switch (typeof cell) {
    case 'number':
      return Number.isSafeInteger(cell) ? `${cell};` : realKey(cell);
    case 'bigint':
      return `${cell};`;
    case 'string':
      return contentKey(cell);
    default:
      return cell === null ? 'N' : contentKey(cell);
  }
}

/** How often each key stands in a list. */
export function countKeys(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function sameCounts(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  if (one.size !== other.size) return false;
  for (const [key, count] of one) if (other.get(key) !== count) return false;
  return true;
}

function sameKeys(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  if (one.size !== other.size) return false;
  for (const key of one.keys()) if (!other.has(key)) return false;
  return true;
}

function compareRows(gold: Rows, pred: Rows, ordered: boolean): Reason | null {
  if (sameRows(gold, pred)) return null;
  const goldKeys = gold.map((row) => rowKey(row, strictKey));
  const predKeys = pred.map((row) => rowKey(row, strictKey));
  const goldCounts = countKeys(goldKeys);
  const predCounts = countKeys(predKeys);
  if (gold.length === pred.length && sameCounts(goldCounts, predCounts)) {
    const isSameOrder = !ordered || goldKeys.every((key, index) => key === predKeys[index]);
    return isSameOrder ? null : 'row_order';
  }
  if (sameKeys(goldCounts, predCounts)) return 'duplicates_only';
  return gold.length === pred.length ? 'row_values' : 'row_count';
}

/**
 * The strict comparison: the same number of columns and the same multiset of rows under `strictKey`, in the same order
 * where `ordered`. Names of columns do not count.
 *
 * @returns null where they are equal, else the first reason that applies of `column_count`, `duplicates_only` (the same
 *   set of rows, other numbers of times), `row_count`, `row_values`, `row_order`
 */
export function compareStrictly(gold: Table, pred: Table, ordered: boolean): Reason | null {
  if (gold.columns.length !== pred.columns.length) return 'column_count';
  return compareRows(gold.rows, pred.rows, ordered);
}
