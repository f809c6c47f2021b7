import type { Random } from '../../score/statistics/random.ts';

/** A seed that depends on each of its words (FNV-1a with 32 bits, http://www.isthe.com/chongo/tech/comp/fnv). */
export function seedOf(...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(words)) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

/** A random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    const [one, two] = [order[last], order[other]];
    if (one === undefined || two === undefined) continue;
    order[last] = two;
    order[other] = one;
  }
  return order;
}

/** One of several, each as often as its weight says. */
export function weighted<T>(choices: readonly (readonly [T, number])[], random: Random): T {
  let place = random.below(choices.reduce((sum, [, weight]) => sum + weight, 0));
  for (const [choice, weight] of choices) {
    if (place < weight) return choice;
    place -= weight;
  }
  throw new RangeError('There must be something to choose from.');
}
