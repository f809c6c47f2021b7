// Speed of the trainer's matrix products on the CPU in the shapes of the bundled model `small` (SmolLM2-135M), against plain
// loops in the same run: single precision, the best of several rounds. GEMM_THREADS (default 2) gives the threads. Beside
// the time on the clock stands the time on the processor, which other programs on the machine change less.
import { gemm } from '../python-free-trainer/src/backend/cpu/gemm.ts';
import type { GemmOptions, Matrix } from '../python-free-trainer/src/backend/cpu/matrix.ts';
import { TypedMultiplier } from '../python-free-trainer/src/backend/cpu/multiply-typed.ts';
import { Threads } from '../python-free-trainer/src/backend/cpu/threads.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const THREADS = Number(process.env['GEMM_THREADS'] ?? 2);
const ROUNDS = 12;

interface Shape {
  what: string;
  rows: number;
  inner: number;
  cols: number;
  options: GemmOptions;
}

/** T tokens; what a forward and backward pass over one example and over a pack of several multiply. */
const SHAPES: readonly Shape[] = [350, 2048].flatMap((tokens) => [
  { what: `${tokens} tokens: gate and up`, rows: tokens, inner: 576, cols: 3072, options: { transposeB: true } },
  { what: `${tokens} tokens: down`, rows: tokens, inner: 1536, cols: 576, options: { transposeB: true } },
  { what: `${tokens} tokens: gradient through q, k and v`, rows: tokens, inner: 960, cols: 576, options: {} },
  { what: `${tokens} tokens: x Aᵀ, r = 16`, rows: tokens, inner: 576, cols: 16, options: { transposeB: true } },
  {
    what: `${tokens} tokens: gradient of B, r = 16`,
    rows: 1536,
    inner: tokens,
    cols: 16,
    options: { transposeA: true },
  },
]);
const HEAD: Shape = { what: '60 loss tokens: head', rows: 60, inner: 576, cols: 49_152, options: { transposeB: true } };
const COMPARED: Shape = { what: '', rows: 350, inner: 576, cols: 1536, options: { transposeB: true } };

interface Operands {
  c: Matrix;
  a: Matrix;
  b: Matrix;
}

function operands(threads: Threads, { rows, inner, cols, options }: Shape): Operands {
  const matrix = (height: number, width: number): Matrix => {
    const data = threads.allocate(height * width);
    for (let i = 0; i < data.length; i++) data[i] = Math.sin(i);
    return { data, rows: height, cols: width };
  };
  return {
    c: matrix(rows, cols),
    a: options.transposeA ? matrix(inner, rows) : matrix(rows, inner),
    b: options.transposeB ? matrix(cols, inner) : matrix(inner, cols),
  };
}

/** GFLOP/s by the clock and by the processor's time, each the best of the rounds. */
function speed({ rows, inner, cols }: Shape, rounds: number, work: () => void): { clock: number; processor: number } {
  const best = { clock: 0, processor: 0 };
  // One round is long enough for the resolution of the processor's time.
  const repeats = Math.ceil(4e9 / (2 * rows * inner * cols));
  work();
  for (let round = 0; round < rounds; round++) {
    const cpu = process.cpuUsage();
    const started = performance.now();
    for (let i = 0; i < repeats; i++) work();
    const ms = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    const operations = 2 * rows * inner * cols * repeats;
    best.clock = Math.max(best.clock, operations / ms / 1e6);
    best.processor = Math.max(best.processor, operations / (user + system) / 1e3);
  }
  return best;
}

/** c = a bᵀ as one would write it first. */
function plainLoops({ c, a, b }: Operands): void {
  for (let i = 0; i < c.rows; i++)
    for (let j = 0; j < c.cols; j++) {
      let sum = 0;
      for (let k = 0; k < a.cols; k++) sum += (a.data[i * a.cols + k] as number) * (b.data[j * a.cols + k] as number);
      c.data[i * c.cols + j] = sum;
    }
}

export const benchmark: Benchmark = {
  title: `matrix products of the trainer, ${THREADS} threads`,
  async run() {
    const threads = new Threads(THREADS);
    const results: Measurement[] = [];
    const add = (what: string, value: number, reach?: string, unit = 'GFLOP/s') =>
      results.push(reach === undefined ? { what, value, unit } : { what, value, unit, reach });
    for (const shape of [...SHAPES, HEAD]) {
      const { c, a, b } = operands(threads, shape);
      const { clock, processor } = speed(shape, ROUNDS, () => gemm(threads, c, a, b, shape.options));
      add(shape.what, clock, shape.inner > 16 && shape.cols > 16 ? '>= 8' : undefined);
      add(`${shape.what}, by a processor's second`, processor);
    }
    const compared = operands(threads, COMPARED);
    const { c, a, b } = compared;
    const ours = speed(COMPARED, ROUNDS, () => gemm(threads, c, a, b, COMPARED.options));
    const typed = new TypedMultiplier();
    const javaScript = speed(COMPARED, 3, () => typed.multiply(c, a, b, COMPARED.options));
    const plain = speed(COMPARED, 3, () => plainLoops(compared));
    add('350 x 576 x 1536', ours.clock, '>= 8');
    add('same, blocked JavaScript without vectors, one thread', javaScript.clock);
    add('same, plain loops, one thread', plain.clock);
    add('times plain loops', ours.clock / plain.clock, undefined, '');
    add("times plain loops, by a processor's second", ours.processor / plain.processor, undefined, '');
    await threads.close();
    return results;
  },
};
