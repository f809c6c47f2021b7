import type { Device } from './device.ts';
import type { Multiplier, Product } from './product.ts';

/** Of a block of kernels/gemm.cu. */
const TILE = 128;
const THREADS = 128;
const SHARED = 3 * 2 * TILE * 64 * 2;

/** Our own kernels, where cuBLASLt is not found. */
export class OwnMultiplier implements Multiplier {
  readonly name = 'own kernels';
  readonly workspace = 0;
  readonly #device: Device;

  constructor(device: Device) {
    this.#device = device;
  }

  multiply({ layout, m, n, k, a, b, c, alpha, beta }: Product): void {
    const grid = { x: Math.ceil(m / TILE) * Math.ceil(n / TILE), threads: THREADS, shared: SHARED };
    const sizes = [m, n, k, alpha, beta] as const;
    this.#device.launch(
      `gemm_${layout}_${c.type}`,
      grid,
      c.pointer,
      c.stride,
      a.pointer,
      a.stride,
      b.pointer,
      b.stride,
      ...sizes,
    );
  }

  close(): void {
    // Nothing is held.
  }
}
