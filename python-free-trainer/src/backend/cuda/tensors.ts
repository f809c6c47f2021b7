import type { Gpu } from '../../gpu/device.ts';
import type { Memory } from '../../gpu/memory.ts';
import type { MemoryPool } from '../../gpu/pool.ts';
import type { Tensor, TensorKind } from '../backend.ts';

/** A matrix in the GPU's memory. */
export interface CudaTensor extends Tensor {
  /** Activations have room behind each row for the low-rank part of a product, weights below and beside for adapters. */
  kind: TensorKind;
  pointer: number;
  bytes: number;
  /** Elements between rows. */
  stride: number;
  /** Counts as zeros whatever the memory holds: the first writer overwrites it, so that nothing is cleared for nothing. */
  isFresh: boolean;
  /** The matrices that this one is made of, each with its own freshness. */
  parts?: CudaTensor[];
}

/** Matrices that lie one behind the other begin at multiples of so many floats. */
const PART_STEP = 64;

/** Columns that an adapter of a rank takes: products read eight at a time. */
export function placeOf(rank: number): number {
  return Math.ceil(rank / 8) * 8;
}

/** Columns behind each row of activations and weights, for up to three adapters of a rank. A multiple of 64. */
export function padFor(rank: number): number {
  return Math.ceil((3 * placeOf(rank)) / 64) * 64;
}

/** Makes and frees tensors. */
export class TensorStore {
  readonly #device: Gpu;
  readonly #pool: MemoryPool;
  readonly #passes: Memory;
  readonly #pad: number;

  /** @param passes for what is no weight */
  constructor(device: Gpu, pool: MemoryPool, passes: Memory, pad: number) {
    this.#device = device;
    this.#pool = pool;
    this.#passes = passes;
    this.#pad = pad;
  }

  /** @throws AppError `gpu_memory` */
  create(rows: number, cols: number, kind: TensorKind): CudaTensor {
    const stride = kind === 'exact' ? cols : Math.ceil(cols / 8) * 8 + this.#pad;
    const height = kind === 'weight' ? rows + this.#pad : rows;
    const bytes = height * stride * (kind === 'exact' ? 4 : 2);
    const pointer = kind === 'weight' ? this.#pool.hold(bytes) : this.#passes.take(bytes);
    return { rows, cols, kind, pointer, bytes, stride, isFresh: true };
  }

  /** See `Backend.contiguous`; gaps between the parts are zeros and stay so. */
  contiguous(shapes: readonly Tensor[]): { all: CudaTensor; parts: CudaTensor[] } {
    let length = 0;
    const places = shapes.map(({ rows, cols }) => {
      const at = length;
      length += Math.ceil((rows * cols) / PART_STEP) * PART_STEP;
      return at;
    });
    const all = this.settled(this.create(1, length, 'exact'));
    const parts = shapes.map(({ rows, cols }, index): CudaTensor => {
      const pointer = all.pointer + (places[index] ?? 0) * 4;
      return { rows, cols, kind: 'exact', pointer, bytes: rows * cols * 4, stride: cols, isFresh: false };
    });
    all.parts = parts;
    return { all, parts };
  }

  free(tensor: CudaTensor): void {
    const { kind, pointer, bytes } = tensor;
    if (bytes > 0 && kind === 'weight') this.#pool.drop(pointer, bytes);
    else if (bytes > 0) this.#passes.give(pointer, bytes);
    // A second free would hand the same memory out twice.
    tensor.bytes = 0;
  }

  /** The tensor with zeros in its memory where it is fresh. */
  settled(tensor: CudaTensor): CudaTensor {
    for (const part of tensor.parts ?? []) this.settled(part);
    if (tensor.isFresh) this.#device.clear(tensor.pointer, tensor.bytes);
    tensor.isFresh = false;
    return tensor;
  }

  /** The tensor, all of which is about to be written. */
  target(tensor: CudaTensor): CudaTensor {
    for (const part of tensor.parts ?? []) part.isFresh = false;
    tensor.isFresh = false;
    return tensor;
  }

  /** The tensor as zeros. */
  freshen(tensor: CudaTensor): void {
    for (const part of tensor.parts ?? []) part.isFresh = true;
    tensor.isFresh = tensor.parts === undefined;
  }
}
