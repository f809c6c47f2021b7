import type { Floats } from '../../../python-free-trainer/src/backend/cpu/matrix.ts';
import type { Threads } from '../../../python-free-trainer/src/backend/cpu/threads.ts';

/** Numbers in [-1, 1) that a seed decides (mulberry32). */
export function randomFloats(seed: number, length: number, float64 = false): Floats {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
  const values = float64 ? new Float64Array(length) : new Float32Array(length);
  for (let i = 0; i < length; i++) values[i] = next();
  return values;
}

/** The same values where all threads see them. */
export function sharedCopy(threads: Threads, values: Floats, float64 = values instanceof Float64Array): Floats {
  const copy = threads.allocate(values.length, float64);
  copy.set(values);
  return copy;
}

/** Largest |a - b| of two arrays; NaN where one is not a number. */
export function largestDifference(a: Floats, b: Floats): number {
  let largest = 0;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs((a[i] as number) - (b[i] as number)));
  return largest;
}
