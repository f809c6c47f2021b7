import type { Floats } from './matrix.ts';

/** Arrays for intermediate values that are used again and again. */
export class Scratch {
  readonly #allocate: (length: number, float64: boolean) => Floats;
  readonly #held = new Map<string, Floats>();

  constructor(allocate: (length: number, float64: boolean) => Floats) {
    this.#allocate = allocate;
  }

  /** An array of at least this length, with anything in it; the same one for the same name. */
  get(name: string, length: number, float64: boolean): Floats {
    const key = float64 ? `${name} 64` : name;
    const held = this.#held.get(key);
    if (held && held.length >= length) return held;
    const array = this.#allocate(length, float64);
    this.#held.set(key, array);
    return array;
  }
}
