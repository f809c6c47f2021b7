import { Random } from '../score/statistics/random.ts';

/**
 * `count` of `items`, each set of that size with the same probability, in their order: selection sampling (D. Knuth, The
 * Art of Computer Programming 2, 3.4.2, algorithm S). All of them where there are no more.
 * @param seed the same seed chooses the same of the same
 */
export function sampleOf<T>(items: readonly T[], count: number, seed: number): T[] {
  const random = new Random(seed);
  let wanted = Math.min(count, items.length);
  return items.filter((_, index) => {
    if (random.below(items.length - index) >= wanted) return false;
    wanted -= 1;
    return true;
  });
}
