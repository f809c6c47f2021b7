import type { Floats, Matrix } from './matrix.ts';
import type { Threads } from './threads.ts';

/** A matrix in memory that all threads share. */
export interface CpuTensor extends Matrix {
  readonly data: Floats;
}

/** Size classes of one doubling: at most an eighth more is taken than asked for. */
const CLASSES = 8;

/**
 * Tensors and the arrays that freed ones leave behind. Shared arrays do not weigh on the garbage collector, which would let
 * them pile up; so they are used again, and no more of them are kept than were ever in use at once.
 */
export class TensorMemory {
  readonly #threads: Threads;
  readonly #float64: boolean;
  readonly #held = new Map<CpuTensor, Floats>();
  readonly #spare = new Map<number, Floats[]>();
  #live = 0;
  #peak = 0;
  #spareBytes = 0;

  constructor(threads: Threads, float64: boolean) {
    this.#threads = threads;
    this.#float64 = float64;
  }

  /** Bytes of all tensors that are not freed. */
  get bytes(): number {
    return this.#live;
  }

  /** A matrix of zeros. */
  tensor(rows: number, cols: number): CpuTensor {
    const size = sizeClass(rows * cols);
    const spare = this.#spare.get(size)?.pop();
    const array = spare ?? this.#threads.allocate(size, this.#float64);
    if (spare !== undefined) {
      this.#spareBytes -= spare.byteLength;
      spare.fill(0, 0, rows * cols);
    }
    const tensor = { rows, cols, data: array.subarray(0, rows * cols) };
    this.#held.set(tensor, array);
    this.#live += array.byteLength;
    this.#peak = Math.max(this.#peak, this.#live);
    return tensor;
  }

  free(tensor: CpuTensor): void {
    const array = this.#held.get(tensor);
    if (array === undefined) return;
    this.#held.delete(tensor);
    this.#live -= array.byteLength;
    if (this.#live + this.#spareBytes + array.byteLength > this.#peak) return;
    this.#spareBytes += array.byteLength;
    const spare = this.#spare.get(array.length);
    if (spare === undefined) this.#spare.set(array.length, [array]);
    else spare.push(array);
  }
}

function sizeClass(length: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, length))) - Math.log2(CLASSES));
  return Math.ceil(Math.max(1, length) / step) * step;
}
