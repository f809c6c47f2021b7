import type { Floats, GemmOptions, Matrix, Multiplier } from './matrix.ts';
import { TypedMultiplier } from './multiply-typed.ts';
import { Scratch } from './scratch.ts';
import { VectorMultiplier } from './simd/vector-multiplier.ts';

/** What one thread keeps between jobs: a multiplier and arrays for intermediate values. */
export class Workspace {
  readonly #multiplier: Multiplier = VectorMultiplier.create() ?? new TypedMultiplier();
  readonly #scratch = new Scratch((length, float64) => (float64 ? new Float64Array(length) : new Float32Array(length)));

  multiply(c: Matrix, a: Matrix, b: Matrix, options: GemmOptions = {}): void {
    this.#multiplier.multiply(c, a, b, options);
  }

  /** An array of at least this length, with anything in it; the same one for the same name. */
  scratch(name: string, length: number, float64 = false): Floats {
    return this.#scratch.get(name, length, float64);
  }
}
