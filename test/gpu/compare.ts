// Operations of the CUDA backend against those of the CPU backend on the same inputs. Outputs are poisoned with NaN first, so
// that what a kernel does not write shows.
import type { Backend, Tensor, TensorKind } from '../../python-free-trainer/src/backend/backend.ts';
import type { CpuBackend } from '../../python-free-trainer/src/backend/cpu/cpu-backend.ts';
import type { CudaBackend } from '../../python-free-trainer/src/backend/cuda/cuda-backend.ts';

export interface Pair {
  cpu: CpuBackend;
  cuda: CudaBackend;
}

/** The same matrix on both backends. */
export interface Both {
  cpu: Tensor;
  cuda: Tensor;
}

/** Uniform numbers in [-1, 1) from a seed (mulberry32). */
export function randomFloats(count: number, seed: number): Float32Array {
  const values = new Float32Array(count);
  let state = seed >>> 0;
  for (let i = 0; i < count; i++) {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    values[i] = ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
  }
  return values;
}

/** Rounded to bfloat16, to nearest, ties to even. */
export function toBfloat16(values: Float32Array): Float32Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < bits.length; i++) {
    const word = bits[i] ?? 0;
    bits[i] = ((word + 0x7fff + ((word >>> 16) & 1)) & 0xffff0000) >>> 0;
  }
  return values;
}

/** Of the first random matrix; others count on from it. New in each process, unless SEED names it. */
export const firstSeed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
let seeds = firstSeed;

/** A random matrix on both; rounded to bfloat16 unless it is exact. */
export function random(pair: Pair, rows: number, cols: number, kind: TensorKind, scale = 1): Both {
  const values = randomFloats(rows * cols, seeds++).map((value) => value * scale);
  if (kind !== 'exact') toBfloat16(values);
  return { cpu: pair.cpu.tensor(rows, cols, values), cuda: pair.cuda.tensor(rows, cols, values, kind) };
}

/** A matrix to be written: NaN everywhere on the GPU. */
export function poisoned(pair: Pair, rows: number, cols: number, kind: TensorKind): Both {
  const values = new Float32Array(rows * cols).fill(Number.NaN);
  return { cpu: pair.cpu.tensor(rows, cols), cuda: pair.cuda.tensor(rows, cols, values, kind) };
}

/** A matrix to be added to: counts as zeros. */
export function fresh(pair: Pair, rows: number, cols: number, kind: TensorKind): Both {
  return { cpu: pair.cpu.tensor(rows, cols), cuda: pair.cuda.tensor(rows, cols, undefined, kind) };
}

/** Runs an operation on both. */
export async function onBoth(
  pair: Pair,
  call: (backend: Backend, of: (both: Both) => Tensor) => unknown,
): Promise<void> {
  await call(pair.cpu, ({ cpu }) => cpu);
  await call(pair.cuda, ({ cuda }) => cuda);
}

/** ‖cuda - cpu‖ / ‖cpu‖ over all elements; NaN where anything is. */
export async function difference(pair: Pair, { cpu, cuda }: Both): Promise<number> {
  const [expected, given] = [await pair.cpu.read(cpu), await pair.cuda.read(cuda)];
  return relative(expected, given);
}

export function relative(expected: ArrayLike<number>, given: ArrayLike<number>): number {
  let error = 0;
  let norm = 0;
  for (let i = 0; i < expected.length; i++) {
    const [a, b] = [expected[i] ?? 0, given[i] ?? 0];
    error += (a - b) ** 2;
    norm += a ** 2;
  }
  return Math.sqrt(error / Math.max(norm, 1e-30));
}
