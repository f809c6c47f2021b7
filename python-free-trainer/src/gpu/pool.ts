import type { Gpu } from './device.ts';
import { gpuMemory } from './errors.ts';
import { ALIGNMENT, type Memory } from './memory.ts';

/**
 * Memory of the GPU that is given back to this pool and handed out again. A training step asks for the same sizes in the same
 * order each time, so that after the first step nothing is asked of the driver.
 */
export class MemoryPool implements Memory {
  readonly #device: Gpu;
  readonly #free = new Map<number, number[]>();
  #held = 0;
  #used = 0;
  #most = 0;

  constructor(device: Gpu) {
    this.#device = device;
  }

  /** Bytes handed out now, and at most so far. */
  get used(): number {
    return this.#used;
  }
  get most(): number {
    return this.#most;
  }
  /** Bytes taken from the driver. */
  get held(): number {
    return this.#held;
  }

  /** @throws AppError `gpu_memory` */
  take(bytes: number): number {
    const size = rounded(bytes);
    this.#used += size;
    this.#most = Math.max(this.#most, this.#used);
    return this.#free.get(size)?.pop() ?? this.#allocate(size);
  }

  /** Memory of just this size that goes back to the driver, not to the pool. @throws AppError `gpu_memory` */
  hold(bytes: number): number {
    this.#used += bytes;
    this.#most = Math.max(this.#most, this.#used);
    return this.#allocate(bytes);
  }

  drop(pointer: number, bytes: number): void {
    this.#used -= bytes;
    this.#held -= bytes;
    this.#device.wait();
    this.#device.free(pointer);
  }

  /** Bytes that could be taken now. */
  get available(): number {
    return this.#device.memory().free + this.#held - this.#used;
  }

  #allocate(bytes: number): number {
    if (bytes > this.#device.memory().free) this.#release();
    const { free } = this.#device.memory();
    if (bytes > free) throw gpuMemory(bytes, free);
    this.#held += bytes;
    return this.#device.allocate(bytes);
  }

  give(pointer: number, bytes: number): void {
    const size = rounded(bytes);
    this.#used -= size;
    const waiting = this.#free.get(size);
    if (waiting === undefined) this.#free.set(size, [pointer]);
    else waiting.push(pointer);
  }

  /** Gives all that is not handed out back to the driver. */
  #release(): void {
    this.#device.wait();
    for (const [size, pointers] of this.#free)
      for (const pointer of pointers) {
        this.#device.free(pointer);
        this.#held -= size;
      }
    this.#free.clear();
  }
}

/** Sizes in steps of an eighth of their power of two, so that packs of nearly the same length share pieces. */
function rounded(bytes: number): number {
  const step = Math.max(ALIGNMENT, 2 ** Math.floor(Math.log2(Math.max(bytes, 1))) / 8);
  return Math.ceil(Math.max(bytes, 1) / step) * step;
}
