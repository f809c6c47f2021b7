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
 * them pile up; so they are used again, also for tensors of down to half their size, since packs differ in length. Used and
 * spare together are never more than were in use at once.
 */
export class TensorMemory {
  readonly #threads: Pick<Threads, 'allocate'>;
  readonly #width: 4 | 8;
  readonly #arrays = new Map<CpuTensor, Floats>();
  readonly #spare = new Map<number, Floats[]>();
  #bytes = 0;
  /** Elements of arrays in use, the most of them so far, and those of spare ones. */
  #used = 0;
  #peak = 0;
  #spared = 0;

  constructor(threads: Pick<Threads, 'allocate'>, float64: boolean) {
    this.#threads = threads;
    this.#width = float64 ? 8 : 4;
  }

  /** Bytes of all tensors that are not freed. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A matrix of zeros. */
  tensor(rows: number, cols: number): CpuTensor {
    const length = rows * cols;
    const array = this.#takeSpare(length) ?? this.#makeArray(sizeClass(length));
    const tensor = { rows, cols, data: array.subarray(0, length) };
    this.#arrays.set(tensor, array);
    this.#bytes += length * this.#width;
    this.#used += array.length;
    this.#peak = Math.max(this.#peak, this.#used);
    return tensor;
  }

  free(tensor: CpuTensor): void {
    const array = this.#arrays.get(tensor);
    if (array === undefined) return;
    this.#arrays.delete(tensor);
    this.#bytes -= tensor.data.length * this.#width;
    this.#used -= array.length;
    this.#spared += array.length;
    const spare = this.#spare.get(array.length);
    if (spare === undefined) this.#spare.set(array.length, [array]);
    else spare.push(array);
  }

  #takeSpare(length: number): Floats | null {
    const smallest = sizeClass(length);
    for (let size = smallest; size <= 2 * smallest; size = sizeClass(size + 1)) {
      const array = this.#spare.get(size)?.pop();
      if (array === undefined) continue;
      this.#spared -= size;
      array.fill(0, 0, length);
      return array;
    }
    return null;
  }

  /** Lets go of spare arrays first, of the oldest classes, so that no more is held than ever was in use. */
  #makeArray(length: number): Floats {
    for (const [size, arrays] of this.#spare)
      while (arrays.length > 0 && this.#used + this.#spared + length > this.#peak) {
        arrays.pop();
        this.#spared -= size;
      }
    return this.#threads.allocate(length, this.#width === 8);
  }
}

/** Length of an array for so many elements. */
function sizeClass(length: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, length))) - Math.log2(CLASSES));
  return Math.ceil(Math.max(1, length) / step) * step;
}
