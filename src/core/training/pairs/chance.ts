import type { Random } from '../../score/statistics/random.ts';

/** A seed that depends on each of its words (FNV-1a with 32 bits, http://www.isthe.com/chongo/tech/comp/fnv). */
export function seedOf(...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(words)) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
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
