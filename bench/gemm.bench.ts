// Speed of the trainer's matrix products on the CPU in the shapes of the bundled model `small` (SmolLM2-135M), and, in one
// thread, of its forms against plain loops in the same run; the best of several rounds. GEMM_THREADS (default 2) gives the
// threads. Beside the time on the clock stands the time on the processor, which other programs on the machine change less.
import { gemm } from '../python-free-trainer/src/backend/cpu/gemm.ts';
import type { GemmOptions, Matrix, Multiplier } from '../python-free-trainer/src/backend/cpu/matrix.ts';
import { TypedMultiplier } from '../python-free-trainer/src/backend/cpu/multiply-typed.ts';
import { VectorMultiplier } from '../python-free-trainer/src/backend/cpu/simd/vector-multiplier.ts';
import { Threads } from '../python-free-trainer/src/backend/cpu/threads.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const THREADS = Number(process.env['GEMM_THREADS'] ?? 2);
const ROUNDS = 6;

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

function operands(threads: Threads, { rows, inner, cols, options }: Shape, float64 = false): Operands {
  const matrix = (height: number, width: number): Matrix => {
    const data = threads.allocate(height * width, float64);
    for (let i = 0; i < data.length; i++) data[i] = Math.sin(i);
    return { data, rows: height, cols: width };
  };
  return {
    c: matrix(rows, cols),
    a: options.transposeA ? matrix(inner, rows) : matrix(rows, inner),
    b: options.transposeB ? matrix(cols, inner) : matrix(inner, cols),
  };
}

/**
 * GFLOP/s by the clock and by the processor's time, each the best of the rounds. A round repeats the work until it is long
 * enough for the resolution of the processor's time.
 */
function speed(
  { rows, inner, cols }: Shape,
  rounds: number,
  work: () => void,
  operationsOfRound = 2e9,
): { clock: number; processor: number } {
  const best = { clock: 0, processor: 0 };
  const repeats = Math.ceil(operationsOfRound / (2 * rows * inner * cols));
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

/** One thread, the forms of the product against each other and plain loops. */
function compare(float64: boolean): { what: string; processor: number }[] {
  const operand = operands(new Threads(1), COMPARED, float64);
  const { c, a, b } = operand;
  const forms: Record<string, (() => void) | null> = {
    'plain loops': () => plainLoops(operand),
    'blocked JavaScript': form(new TypedMultiplier()),
    'vectors, product and sum apart': form(VectorMultiplier.create(false)),
    'vectors, product and sum in one': form(VectorMultiplier.create()),
  };
  function form(multiplier: Multiplier | null): (() => void) | null {
    return multiplier && (() => multiplier.multiply(c, a, b, COMPARED.options));
  }
  return Object.entries(forms).flatMap(([name, work]) => {
    if (work === null) return [];
    const { processor } = speed(COMPARED, name === 'plain loops' ? 2 : 6, work, 6e8);
    return [{ what: `one thread, ${float64 ? 'double' : 'single'} precision, ${name}`, processor }];
  });
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
    for (const float64 of [false, true]) for (const { what, processor } of compare(float64)) add(what, processor);
    await threads.close();
    return results;
  },
};
