import type { SearchEffort } from '../../../protocol/diagnosis.ts';
import type { CancelSignal } from '../../ports.ts';

/** How much a minimisation may do. */
export interface MinimiseBudget {
  /** Tries; each runs both queries. */
  readonly tries: number;
  readonly ms: number;
}

/** What the search for the smallest rows asks of the world. */
export interface SmallestParts {
  /** Whether the two queries still differ where only these rows are left. */
  differ(kept: ReadonlySet<number>): Promise<boolean>;
  /** Rows that must go with a row, which refer to it. */
  readonly dependents: readonly (readonly number[])[];
  /** Milliseconds from an arbitrary start. */
  now(): number;
}

/** What is left. */
export interface Smallest {
  readonly kept: ReadonlySet<number>;
  readonly minimal: boolean;
  readonly effort: SearchEffort;
}

/**
 * Takes rows away as long as the queries differ: large pieces first, then smaller ones, at last row by row until none can
 * go (delta debugging: A. Zeller and R. Hildebrandt, Simplifying and isolating failure-inducing input, 2002). A row goes
 * with all rows that refer to it, so that foreign keys stay as sound as they were.
 * @param rows the rows to begin with, on which the queries differ; pieces are cut in this order
 */
export async function smallestRows(
  rows: readonly number[],
  parts: SmallestParts,
  budget: MinimiseBudget,
  signal?: CancelSignal,
): Promise<Smallest> {
  const search = new SmallestSearch(rows, parts, budget, signal);
  return search.run();
}

class SmallestSearch {
  readonly #parts: SmallestParts;
  readonly #budget: MinimiseBudget;
  readonly #signal: CancelSignal | undefined;
  readonly #started: number;
  #kept: ReadonlySet<number>;
  #tries = 0;
  #spent = false;

  constructor(rows: readonly number[], parts: SmallestParts, budget: MinimiseBudget, signal?: CancelSignal) {
    this.#parts = parts;
    this.#budget = budget;
    this.#signal = signal;
    this.#kept = new Set(rows);
    this.#started = parts.now();
  }

  async run(): Promise<Smallest> {
    for (let size = this.#kept.size; size > 1 && !this.#spent; size = Math.ceil(size / 2)) await this.#pass(size);
    // What stood in the way of one row may have gone with another.
    while (!this.#spent && (await this.#pass(1))) {}
    const ms = this.#parts.now() - this.#started;
    const minimal = !this.#spent;
    return { kept: this.#kept, minimal, effort: { queries: this.#tries * 2, ms, exhausted: !minimal } };
  }

  /** Tries to take away each piece of a size. @returns whether any went */
  async #pass(size: number): Promise<boolean> {
    const rows = [...this.#kept];
    const before = this.#kept.size;
    for (let at = 0; at < rows.length && !this.#spent; at += size) await this.#without(rows.slice(at, at + size));
    return this.#kept.size < before;
  }

  async #without(piece: readonly number[]): Promise<void> {
    const left = new Set(this.#kept);
    const going = piece.filter((row) => left.has(row));
    if (going.length === 0) return;
    for (let row = going.pop(); row !== undefined; row = going.pop())
      if (left.delete(row)) going.push(...(this.#parts.dependents[row] ?? []));
    const isLate = this.#parts.now() - this.#started >= this.#budget.ms;
    if (this.#tries >= this.#budget.tries || isLate || this.#signal?.aborted) {
      this.#spent = true;
      return;
    }
    this.#tries++;
    if (await this.#parts.differ(left)) this.#kept = left;
  }
}
