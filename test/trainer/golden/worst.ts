import { strict as assert } from 'node:assert';
import { relativeDistance } from '../support/compare.ts';

/** What float32 allows: two programs that sum in another order differ by about 1e-6. */
export const TOLERANCE = 1e-5;

/** Compares vectors with PyTorch's and remembers the farthest one. */
export class Worst {
  #distance = 0;
  #name = '';

  compare(name: string, ours: ArrayLike<number>, theirs: ArrayLike<number>): void {
    const distance = relativeDistance(ours, theirs);
    if (!(distance <= this.#distance)) {
      this.#distance = distance;
      this.#name = name;
    }
    assert.ok(distance <= TOLERANCE, `${name} is ${distance} away`);
  }

  /** Compares every trained matrix with the vector of the same name. */
  compareAll(
    prefix: string,
    ours: ReadonlyMap<string, ArrayLike<number>>,
    theirs: (name: string) => Float32Array,
  ): void {
    assert.ok(ours.size > 0);
    for (const [name, values] of ours) this.compare(prefix + name, values, theirs(prefix + name));
  }

  print(): void {
    process.stdout.write(`      farthest from PyTorch: ${this.#name}, ${this.#distance.toExponential(1)}\n`);
  }
}
