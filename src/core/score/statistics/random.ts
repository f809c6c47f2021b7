/**
 * A seeded generator of whole numbers: the same seed gives the same numbers everywhere. xoshiro128** 1.1 (D. Blackman
 * and S. Vigna, Scrambled linear pseudorandom number generators, 2018; public domain); not for secrets.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** @param seed a whole number; its lower 32 bits count */
  constructor(seed: number) {
    const state = spread(seed);
    this.#a = state();
    this.#b = state();
    this.#c = state();
    this.#d = state();
  }

  /** A whole number from 0 to 2^32 - 1. */
  uint32(): number {
    const fivefold = Math.imul(this.#b, 5);
    const result = Math.imul((fivefold << 7) | (fivefold >>> 25), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  /**
   * A whole number from 0 to `count - 1`. Counts far below 2^32 are meant: the probabilities differ by less than
   * `count / 2^32` of themselves.
   */
  below(count: number): number {
    return Math.floor((this.uint32() * count) / 0x1_0000_0000);
  }
}

/**
 * Fills a state from a seed, as the authors of xoshiro advise: by another generator, here SplitMix with 32 bits (G.
 * Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, 2014; finaliser of MurmurHash3).
 */
function spread(seed: number): () => number {
  let counter = seed | 0;
  return () => {
    counter = (counter + 0x9e3779b9) | 0;
    let mixed = counter;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) | 0;
  };
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
