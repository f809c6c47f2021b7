import type { Gpu } from './device.ts';
import type { Memory } from './memory.ts';
import { ALIGNMENT } from './memory.ts';
import type { Lifetime } from './memory-plan.ts';
import type { Multiplier, Product } from './product.ts';

/** Memory that is nowhere: it writes down what is taken and given back. */
export class RehearsalMemory implements Memory {
  readonly #lifetimes: Lifetime[] = [];
  readonly #open = new Map<number, Lifetime>();
  #moment = 0;
  #pointer = ALIGNMENT;
  #used = 0;
  #most = 0;

  /** Pieces in the order in which they were taken; what was not given back stays until the end. */
  get lifetimes(): readonly Lifetime[] {
    return this.#lifetimes;
  }
  /** Bytes that are taken now. */
  get used(): number {
    return this.#used;
  }
  /** The most bytes that were taken at once since the last call. */
  takeMost(): number {
    const most = this.#most;
    this.#most = this.#used;
    return most;
  }

  take(bytes: number): number {
    const pointer = this.#pointer;
    this.#pointer += Math.ceil(Math.max(bytes, 1) / ALIGNMENT) * ALIGNMENT;
    const lifetime = { bytes, from: this.#moment++, to: Number.POSITIVE_INFINITY };
    this.#lifetimes.push(lifetime);
    this.#open.set(pointer, lifetime);
    this.#used += bytes;
    this.#most = Math.max(this.#most, this.#used);
    return pointer;
  }

  give(pointer: number): void {
    const lifetime = this.#open.get(pointer);
    if (lifetime === undefined) return;
    this.#open.delete(pointer);
    // A piece that is taken after this may lie in the same place.
    lifetime.to = this.#moment++;
    this.#used -= lifetime.bytes;
  }
}

/** A GPU that does nothing. */
export const IDLE_GPU: Gpu = {
  launch: () => undefined,
  upload: () => undefined,
  download: () => undefined,
  clear: () => undefined,
  wait: () => undefined,
  allocate: () => 0,
  free: () => undefined,
  memory: () => ({ free: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY }),
  close: () => undefined,
};

/** Multiplies nothing and remembers the largest output. */
export class IdleMultiplier implements Multiplier {
  readonly name = 'none';
  readonly workspace = 0;
  /** Bytes of the largest output. */
  largest = 0;

  multiply({ m, c }: Product): void {
    this.largest = Math.max(this.largest, m * c.stride * (c.type === 'b16' ? 2 : 4));
  }

  close(): void {
    // Nothing is held.
  }
}
