/** States of tests that are told at once, and the pause before the next: VS Code sends each on its own. */
const PER_SLICE = 400;
const PAUSE_MS = 50;

/** Hands things on in slices, so that ten thousand results keep neither this process nor the window from other work. */
export class Slices<T> {
  readonly #apply: (thing: T) => void;
  #waiting: T[] = [];
  #timer: NodeJS.Timeout | undefined;
  #onEmpty: (() => void)[] = [];

  constructor(apply: (thing: T) => void) {
    this.#apply = apply;
  }

  push(thing: T): void {
    this.#waiting.push(thing);
    this.#timer ??= setTimeout(() => this.#next(), PAUSE_MS);
  }

  #next(): void {
    this.#timer = undefined;
    for (const thing of this.#waiting.splice(0, PER_SLICE)) this.#apply(thing);
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#next(), PAUSE_MS);
    else for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  /** Resolves when all that was pushed has been handed on. */
  async drained(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }
}
