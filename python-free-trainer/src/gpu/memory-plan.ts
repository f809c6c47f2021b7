import { ALIGNMENT } from './memory.ts';

/** A piece of memory that a pass takes and gives back. */
export interface Lifetime {
  bytes: number;
  /** The moments of the pass at which it is taken and given back; of two pieces that share a moment, both are there. */
  from: number;
  to: number;
}

/** Places for the pieces of a pass in one allocation, in the order in which the pass takes them. */
export interface MemoryPlan {
  pieces: readonly (Lifetime & { offset: number })[];
  /** Of the allocation. */
  bytes: number;
  /** The most that is there at once: no plan needs less. */
  least: number;
}

interface Placed extends Lifetime {
  index: number;
  offset: number;
}

/**
 * Gives each piece a fixed place where no other lies that is there at the same time: the largest first, each at the lowest
 * address that is free for all of its life (greedy by size, arXiv 2001.03288).
 */
export function planMemory(lifetimes: readonly Lifetime[]): MemoryPlan {
  const placed: Placed[] = [];
  const order = lifetimes.map((lifetime, index) => ({ ...lifetime, bytes: aligned(lifetime.bytes), index }));
  for (const piece of order.sort((a, b) => b.bytes - a.bytes || a.index - b.index))
    placed.push({ ...piece, offset: lowestPlace(placed, piece) });
  const bytes = placed.reduce((most, piece) => Math.max(most, piece.offset + piece.bytes), 0);
  const pieces = placed.sort((a, b) => a.index - b.index).map(({ index: _, ...piece }) => piece);
  return { pieces, bytes, least: mostAtOnce(lifetimes) };
}

function lowestPlace(placed: readonly Placed[], { bytes, from, to }: Lifetime): number {
  const others = placed.filter((other) => other.from <= to && from <= other.to).sort((a, b) => a.offset - b.offset);
  let offset = 0;
  for (const other of others) {
    if (offset + bytes <= other.offset) break;
    offset = Math.max(offset, other.offset + other.bytes);
  }
  return offset;
}

/** Most bytes of pieces that are there at one moment. */
function mostAtOnce(lifetimes: readonly Lifetime[]): number {
  const changes = lifetimes.flatMap(({ bytes, from, to }) => [
    { at: from, change: aligned(bytes) },
    { at: to + 0.5, change: -aligned(bytes) },
  ]);
  let now = 0;
  let most = 0;
  for (const { change } of changes.sort((a, b) => a.at - b.at)) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}

function aligned(bytes: number): number {
  return Math.ceil(Math.max(bytes, 1) / ALIGNMENT) * ALIGNMENT;
}
