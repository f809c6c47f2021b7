import type { Device } from './device.ts';
import { gpuMemory } from './errors.ts';

/** Bytes that every piece begins at a multiple of. */
const ALIGNMENT = 256;

/**
 * Memory of the GPU that is given back to this pool and handed out again. A training step asks for the same sizes in the same
 * order each time, so that after the first step nothing is asked of the driver.
 */
export class MemoryPool {
  readonly #device: Device;
  readonly #free = new Map<number, number[]>();
  #held = 0;
  #used = 0;
  #most = 0;

  constructor(device: Device) {
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
    const waiting = this.#free.get(size)?.pop();
    if (waiting !== undefined) return waiting;
    const { free } = this.#device.memory();
    if (size > free) this.#release();
    if (size > this.#device.memory().free) throw gpuMemory(size, this.#device.memory().free);
    this.#held += size;
    return this.#device.allocate(size);
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
