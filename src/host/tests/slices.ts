/** States of tests that are told at once, and the pause before the next: VS Code sends each on its own. */
const PER_SLICE = 200;
const PAUSE_MS = 16;
/** Things that may wait before whoever brings them has to. */
const MOST_WAITING = 2 * PER_SLICE;

/** Hands things on in slices, so that ten thousand results keep neither this process nor the window from other work. */
export class Slices<T> {
  readonly #apply: (thing: T) => void;
  #waiting: T[] = [];
  #timer: NodeJS.Timeout | undefined;
  #afterSlice: (() => void)[] = [];

  constructor(apply: (thing: T) => void) {
    this.#apply = apply;
  }

  /** Takes a thing at once; resolves when there is room for more. */
  async push(thing: T): Promise<void> {
    this.#waiting.push(thing);
    this.#timer ??= setTimeout(() => this.#next(), PAUSE_MS);
    while (this.#waiting.length >= MOST_WAITING) await this.#slice();
  }

  /** Resolves when all that was pushed has been handed on. */
  async drained(): Promise<void> {
    while (this.#waiting.length > 0) await this.#slice();
  }

  #slice(): Promise<void> {
    return new Promise((resolve) => this.#afterSlice.push(resolve));
  }

  #next(): void {
    this.#timer = undefined;
    for (const thing of this.#waiting.splice(0, PER_SLICE)) this.#apply(thing);
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#next(), PAUSE_MS);
    for (const resolve of this.#afterSlice.splice(0)) resolve();
  }
}
