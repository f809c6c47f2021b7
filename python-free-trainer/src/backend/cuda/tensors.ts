import type { Device } from '../../gpu/device.ts';
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
}

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
  readonly #device: Device;
  readonly #pool: MemoryPool;
  readonly #pad: number;

  constructor(device: Device, pool: MemoryPool, pad: number) {
    this.#device = device;
    this.#pool = pool;
    this.#pad = pad;
  }

  /** @throws AppError `gpu_memory` */
  create(rows: number, cols: number, kind: TensorKind): CudaTensor {
    const stride = kind === 'exact' ? cols : Math.ceil(cols / 8) * 8 + this.#pad;
    const height = kind === 'weight' ? rows + this.#pad : rows;
    const bytes = height * stride * (kind === 'exact' ? 4 : 2);
    return { rows, cols, kind, pointer: this.#pool.take(bytes), bytes, stride, isFresh: true };
  }

  free(tensor: CudaTensor): void {
    if (tensor.bytes > 0) this.#pool.give(tensor.pointer, tensor.bytes);
    // A second free would hand the same memory out twice.
    tensor.bytes = 0;
  }

  /** The tensor with zeros in its memory where it is fresh. */
  settled(tensor: CudaTensor): CudaTensor {
    if (tensor.isFresh) this.#device.clear(tensor.pointer, tensor.bytes);
    tensor.isFresh = false;
    return tensor;
  }

  /** The tensor, all of which is about to be written. */
  target(tensor: CudaTensor): CudaTensor {
    tensor.isFresh = false;
    return tensor;
  }
}
