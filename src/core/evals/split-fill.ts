import { type Random, shuffled } from '../score/statistics/random.ts';

/** Bins with the sums that they should reach, and which of the things lies in which. */
class Filling {
  readonly #sizes: readonly number[];
  /** How far each bin is above its target; below 0 where something is missing. */
  readonly #excess: number[];
  readonly #counts: number[];
  readonly #binOf: number[];

  constructor(sizes: readonly number[], targets: readonly number[]) {
    this.#sizes = sizes;
    this.#excess = targets.map((target) => -target);
    this.#counts = targets.map(() => 0);
    this.#binOf = [];
  }

  /** The bin of each thing. */
  get bins(): readonly number[] {
    return this.#binOf;
  }

  /** Sum of the squares of what the bins are above or below their targets. */
  get error(): number {
    return this.#excess.reduce((sum, excess) => sum + excess ** 2, 0);
  }

  /** Puts each thing, in the order given, into the bin that lacks most. */
  fill(order: readonly number[]): void {
    for (const thing of order) {
      let bin = 0;
      for (const [candidate, excess] of this.#excess.entries()) if (excess < (this.#excess[bin] ?? 0)) bin = candidate;
      this.#put(thing, bin);
    }
  }

  /**
   * Gives the first `bins` bins one thing each at least: the smallest of the bin that can spare most. There must be as
   * many things as such bins.
   */
  fillEmpty(bins: number): void {
    for (let bin = 0; bin < bins; bin++) {
      if ((this.#counts[bin] ?? 0) > 0) continue;
      const spare = this.#counts.map((count, other) => (other < bins ? count - 1 : count));
      const from = spare.indexOf(Math.max(...spare));
      const [smallest] = this.#in(from).sort((a, b) => this.#size(a) - this.#size(b));
      if (smallest !== undefined) this.#put(smallest, bin);
    }
  }

  /**
   * Moves and swaps things for as long as that makes the error smaller and it is above `goodEnough`. The first `kept`
   * bins are not emptied.
   */
  improve(kept: number, goodEnough: number): void {
    while (this.error > goodEnough && this.#improveOnce(kept));
  }

  #improveOnce(kept: number): boolean {
    let best = -1e-9;
    let apply: (() => void) | null = null;
    const bins = this.#excess.map((_, bin) => this.#in(bin));
    for (const [from, things] of bins.entries())
      for (const [to, others] of bins.entries()) {
        const gap = (this.#excess[from] ?? 0) - (this.#excess[to] ?? 0);
        if (from === to || gap <= 0) continue;
        // Half the change of the sum of squared errors where `net` more goes from one bin to the other.
        const change = (net: number) => net * (net - gap);
        const canMove = from >= kept || things.length > 1;
        for (const thing of things) {
          const size = this.#size(thing);
          if (canMove && change(size) < best) {
            best = change(size);
            apply = () => this.#put(thing, to);
          }
          for (const other of others) {
            const swapped = change(size - this.#size(other));
            if (swapped >= best) continue;
            best = swapped;
            apply = () => {
              this.#put(thing, to);
              this.#put(other, from);
            };
          }
        }
      }
    apply?.();
    return apply !== null;
  }

  #size(thing: number): number {
    return this.#sizes[thing] ?? 0;
  }

  #in(bin: number): number[] {
    return this.#binOf.flatMap((candidate, thing) => (candidate === bin ? [thing] : []));
  }

  #put(thing: number, bin: number): void {
    const old = this.#binOf[thing];
    if (old !== undefined) this.#add(old, -this.#size(thing), -1);
    this.#binOf[thing] = bin;
    this.#add(bin, this.#size(thing), 1);
  }

  #add(bin: number, size: number, count: number): void {
    this.#excess[bin] = (this.#excess[bin] ?? 0) + size;
    this.#counts[bin] = (this.#counts[bin] ?? 0) + count;
  }
}

/** Orders that are tried; more matter only where things are few and large. */
const MOST_TRIES = 32;

/**
 * Divides things among bins so that the sums come near the targets: several seeded orders, the best of them.
 * @param kept the first so many bins get one thing at least; there must be as many things
 * @returns the bin of each thing
 */
export function divide(
  sizes: readonly number[],
  { targets, kept }: { targets: readonly number[]; kept: number },
  random: Random,
): readonly number[] {
  // Whole things cannot come nearer than half a one.
  const goodEnough = targets.length / 4;
  let best: Filling | null = null;
  for (let tries = 0; tries < MOST_TRIES && (best === null || best.error > goodEnough); tries++) {
    const filling = new Filling(sizes, targets);
    filling.fill(shuffled([...sizes.keys()], random));
    filling.fillEmpty(kept);
    filling.improve(kept, goodEnough);
    if (best === null || filling.error < best.error) best = filling;
  }
  return best?.bins ?? [];
}
