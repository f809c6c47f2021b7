import { philox } from '../model/philox.ts';

// The order in which examples are learned is a function of the seed and of the step alone: a resume needs no replay.

/** Streams of random numbers that must not meet. */
const STREAM = { examples: 0, chunks: 1, heldOut: 2 } as const;

export interface OrderOptions {
  /** Number of examples. */
  examples: number;
  seed: number;
  /** Examples of one optimiser step. */
  batch: number;
  /** Passes over the data, also parts of one. */
  epochs: number;
  /**
   * A number for each example that is the same for those that share a long beginning (`prefixFamilies`): examples of one
   * family then stand together in chunks, so that sharing pays; null: every example is drawn alone.
   */
  families: Int32Array | null;
}

/** Which examples each optimiser step learns from. */
export interface DataOrder {
  /** Optimiser steps in all. */
  steps: number;
  /** Examples of a step by index, from step 0. The last step may have fewer. Each epoch has every example once. */
  examplesOf(step: number): Int32Array;
  /** Passes over the data that are done when so many steps are. */
  epochsAfter(steps: number): number;
}

/** At least so many families are met in a step, so that a step does not follow one schema. */
const FAMILIES_A_STEP = 4;
/** Most examples of one family that stand together. */
const LONGEST_CHUNK = 16;

/** The order of a run. With families it is a shuffle of chunks, without them a shuffle of examples; each epoch anew. */
export function createOrder({ examples, seed, batch, epochs, families }: OrderOptions): DataOrder {
  const total = Math.max(1, Math.round(examples * epochs));
  const chunk = Math.max(1, Math.min(LONGEST_CHUNK, Math.floor(batch / FAMILIES_A_STEP)));
  let known = -1;
  let order: Int32Array = new Int32Array();
  const orderOf = (epoch: number): Int32Array => {
    if (epoch !== known) {
      const shuffled = shuffle(examples, seed, STREAM.examples, epoch);
      order = families === null ? shuffled : shuffleChunks(shuffled, families, chunk, seed, epoch);
      known = epoch;
    }
    return order;
  };
  return {
    steps: Math.ceil(total / batch),
    examplesOf(step) {
      const from = step * batch;
      const length = Math.max(0, Math.min(batch, total - from));
      return Int32Array.from({ length }, (_, index) => {
        const place = from + index;
        return orderOf(Math.floor(place / examples))[place % examples] ?? 0;
      });
    },
    epochsAfter: (steps) => Math.min(steps * batch, total) / examples,
  };
}

/**
 * Sets examples apart for evaluation. Examples that belong together stay on one side, so that none is known already.
 * @param share of the examples; at least one is set apart and one is kept where it is above 0
 * @param same a number for each example that is the same for those that belong together (`joined`)
 */
export function holdOut(
  examples: number,
  share: number,
  seed: number,
  same: Int32Array,
): { train: Int32Array; heldOut: Int32Array } {
  const wanted = share === 0 ? 0 : Math.min(examples - 1, Math.max(1, Math.round(examples * share)));
  const sizes = new Map<number, number>();
  for (const key of same) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  const apart = new Set<number>();
  let count = 0;
  for (const example of shuffle(examples, seed, STREAM.heldOut, 0)) {
    const key = same[example] ?? 0;
    const size = sizes.get(key) ?? 0;
    if (apart.has(key) || count + size > wanted) continue;
    apart.add(key);
    count += size;
  }
  const all = Int32Array.from(same, (_, index) => index);
  return {
    train: all.filter((index) => !apart.has(same[index] ?? 0)),
    heldOut: all.filter((index) => apart.has(same[index] ?? 0)),
  };
}

/**
 * A number for each example that is the same for those that belong together by either numbering, directly or by others: those
 * of one prompt, and those of one item.
 */
export function joined(one: Int32Array, other: Int32Array): Int32Array {
  const parents = Int32Array.from(one, (_, index) => index);
  const rootOf = (index: number) => {
    let root = index;
    let parent = parents[root] ?? root;
    while (parent !== root) {
      // Each step makes the way of the next search shorter.
      const above = parents[parent] ?? parent;
      parents[root] = above;
      root = parent;
      parent = above;
    }
    return root;
  };
  for (const numbers of [one, other]) {
    const first = new Map<number, number>();
    numbers.forEach((number, index) => {
      const before = first.get(number);
      if (before === undefined) first.set(number, index);
      else parents[rootOf(index)] = rootOf(before);
    });
  }
  return parents.map((_, index) => rootOf(index));
}

/** A random order of 0 … count - 1 (Fisher and Yates). */
function shuffle(count: number, seed: number, stream: number, epoch: number): Int32Array {
  const order = Int32Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last -= 1) {
    const other = Math.floor(uniform(seed, stream, epoch, last) * (last + 1));
    const moved = order[last] ?? 0;
    order[last] = order[other] ?? 0;
    order[other] = moved;
  }
  return order;
}

/** Cuts each family, in the given order, into chunks, and puts the chunks into a random order. */
function shuffleChunks(
  order: Int32Array,
  families: Int32Array,
  chunk: number,
  seed: number,
  epoch: number,
): Int32Array {
  const open = new Map<number, number[]>();
  const chunks: number[][] = [];
  for (const example of order) {
    const family = families[example] ?? 0;
    let current = open.get(family);
    if (current === undefined || current.length === chunk) {
      current = [];
      chunks.push(current);
      open.set(family, current);
    }
    current.push(example);
  }
  return Int32Array.from(
    [...shuffle(chunks.length, seed, STREAM.chunks, epoch)].flatMap((index) => chunks[index] ?? []),
  );
}

/** A number in [0, 1) that depends on its place alone, 53 bits. */
function uniform(seed: number, stream: number, epoch: number, place: number): number {
  const [high, low] = philox([place, epoch, stream, 0], [seed % 2 ** 32, Math.floor(seed / 2 ** 32)]);
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
}
