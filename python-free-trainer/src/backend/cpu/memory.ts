import type { Floats, Matrix } from './matrix.ts';
import type { Threads } from './threads.ts';

/** A matrix in memory that all threads share. */
export interface CpuTensor extends Matrix {
  readonly data: Floats;
}

/** Size classes of one doubling: at most a quarter more is taken than asked for. */
const CLASSES = 4;
/** How much larger a spare array may be than what it is used for. */
const LOOSEST = 3;
/** Arrays in use and spare ones together, as a multiple of the most that was in use at once. */
const KEPT = 1.25;

/**
 * Tensors and the arrays that freed ones leave behind. Shared arrays do not weigh on the garbage collector, which would let
 * them pile up; so they are used again, and for shorter tensors too, since packs differ in length. The three constants are
 * those with which packs of 200 to 1,400 tokens, one after another, need next to no new arrays.
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

  /**
   * A matrix of zeros.
   *
   * @param lasting take no more than is needed, for what stays to the end
   */
  tensor(rows: number, cols: number, lasting = false): CpuTensor {
    const length = rows * cols;
    const array = lasting
      ? this.#threads.allocate(length, this.#width === 8)
      : (this.#takeSpare(length) ?? this.#makeArray(sizeClass(length)));
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
    if (array.length !== sizeClass(array.length)) return;
    this.#spared += array.length;
    const spare = this.#spare.get(array.length);
    if (spare === undefined) this.#spare.set(array.length, [array]);
    else spare.push(array);
  }

  #takeSpare(length: number): Floats | null {
    const smallest = sizeClass(length);
    for (let size = smallest; size <= LOOSEST * smallest; size = sizeClass(size + 1)) {
      const array = this.#spare.get(size)?.pop();
      if (array === undefined) continue;
      this.#spared -= size;
      array.fill(0, 0, length);
      return array;
    }
    return null;
  }

  /** Lets go of spare arrays first, of the largest, where too much would be held. */
  #makeArray(length: number): Floats {
    for (const [size, arrays] of [...this.#spare].sort(([a], [b]) => b - a))
      while (arrays.length > 0 && this.#used + this.#spared + length > this.#peak * KEPT) {
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
