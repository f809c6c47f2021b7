/** Items that the pace is taken from: recent ones, since databases differ and a model's first answer waits for it to load. */
const RECENT = 50;

/**
 * Estimates when a run ends from the pace of the items finished last.
 *
 * Times are in milliseconds from any start.
 */
export class Eta {
  readonly #finished: number[];

  /** @param started when the first item was begun */
  constructor(started: number) {
    this.#finished = [started];
  }

  /** Counts an item that was finished at `now`. */
  finish(now: number): void {
    this.#finished.push(now);
    if (this.#finished.length > RECENT + 1) this.#finished.shift();
  }

  /** Milliseconds until `left` more items are done; null before the first was finished. */
  leftMs(left: number): number | null {
    const pace = this.msPerItem();
    return pace === null ? null : pace * left;
  }

  /** Milliseconds between two items finished; null before the first was. */
  msPerItem(): number | null {
    const first = this.#finished[0] ?? 0;
    const last = this.#finished.at(-1) ?? 0;
    const count = this.#finished.length - 1;
    return count === 0 ? null : (last - first) / count;
  }
}
