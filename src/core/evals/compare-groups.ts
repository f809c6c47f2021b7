import type { ComparedGroup } from '../../protocol/compare.ts';
import { wilson } from '../score/statistics/wilson.ts';
import type { ComparedItem } from './compare-items.ts';
import { byDifficulty, groupBy } from './report/group.ts';

/** How many of the compared items each run has right, and which way the others went. */
export interface Tally {
  a: number;
  b: number;
  gained: number;
  lost: number;
}

export function tally(items: readonly ComparedItem[]): Tally {
  const total: Tally = { a: 0, b: 0, gained: 0, lost: 0 };
  for (const { rightInA, rightInB } of items) {
    if (rightInA) total.a++;
    if (rightInB) total.b++;
    if (rightInB && !rightInA) total.gained++;
    if (rightInA && !rightInB) total.lost++;
  }
  return total;
}

/** The compared items of each database, by name. */
export function comparedByDatabase(items: readonly ComparedItem[]): ComparedGroup[] {
  return [...groupBy(items, ({ a }) => a.db_id)]
    .sort(([first], [second]) => (first < second ? -1 : 1))
    .map(([name, members]) => groupOf(name, members));
}

/** The compared items of each difficulty, easy ones first; empty where no item names one. */
export function comparedByDifficulty(items: readonly ComparedItem[]): ComparedGroup[] {
  return byDifficulty(items, ({ a }) => a.difficulty).map(([name, members]) => groupOf(name, members));
}

function groupOf(name: string, members: readonly ComparedItem[]): ComparedGroup {
  const { a, b, gained, lost } = tally(members);
  const items = members.length;
  return { name, items, a: wilson(a, items), b: wilson(b, items), gained, lost };
}
