import type { Gpu } from '../../gpu/device.ts';
import type { Memory } from '../../gpu/memory.ts';
import type { Multiplier } from '../../gpu/product.ts';
import { type ChunkTable, headTables, tableWords } from './head-tables.ts';
import type { CudaTensor } from './tensors.ts';

/** Most logits held at once: 2 bytes each. */
const LOGITS = 2 ** 28;
/** Chunks are multiples of so many rows, as tiles of products are. */
const ROWS = 256;
/** Rows of logits begin at multiples of 16 bytes, which kernels read at once. */
const WORDS = 8;
const THREADS = 256;
const ROW_THREADS = 512;

/** What the output head is asked for. */
export interface HeadJob {
  hidden: CudaTensor;
  /** [vocab, hidden]. */
  head: CudaTensor;
  rows: Int32Array;
  targets: Int32Array;
  temperature: number;
}

/** What the output head found, [loss positions]. */
export interface HeadResult {
  logProbs: Float64Array;
  logSums: Float64Array;
  /** Targets that were the most likely token. */
  correct: number;
}

/** Addresses of a job's pieces of memory. */
interface Pieces {
  /** Hidden states of a chunk's rows, [rows, hidden], and their logits, [rows, vocab rounded up to `WORDS`], bfloat16. */
  gathered: number;
  logits: number;
  /** The words of `HeadTables`. */
  words: number;
  /** log-sums, log-probabilities and hits of all positions, 32 bits each. */
  logSums: number;
  logProbs: number;
  correct: number;
}

type Step = 'logProbs' | 'gradient';

/** The output head in chunks, so that all logits are never there at once. */
export class Head {
  readonly #device: Gpu;
  readonly #memory: Memory;
  readonly #products: Multiplier;

  constructor(device: Gpu, memory: Memory, products: Multiplier) {
    this.#device = device;
    this.#memory = memory;
    this.#products = products;
  }

  /** See `Backend.logProbs`. */
  logProbs(job: HeadJob): HeadResult {
    return this.#run(job, null, null, ['logProbs']);
  }

  /** See `Backend.logProbsBackward`; the logits are computed again. */
  backward(job: HeadJob, dHidden: CudaTensor, gradient: Float64Array, logSums: Float64Array): void {
    this.#run(job, dHidden, { values: gradient, logSums }, ['gradient']);
  }

  /** See `Backend.logProbsWithGradient`. */
  withGradient(job: HeadJob, dHidden: CudaTensor, gradient: Float64Array): HeadResult {
    return this.#run(job, dHidden, { values: gradient, logSums: null }, ['logProbs', 'gradient']);
  }

  #run(
    job: HeadJob,
    dHidden: CudaTensor | null,
    gradient: { values: Float64Array; logSums: Float64Array | null } | null,
    steps: readonly Step[],
  ): HeadResult {
    const count = job.rows.length;
    const { head } = job;
    const most = Math.max(ROWS, Math.floor(LOGITS / head.rows / ROWS) * ROWS);
    const rows = Math.min(count, most);
    const words = tableWords(count, Math.ceil(count / most)) * 4;
    const sizes = [rows * head.cols * 2, rows * strideOf(head) * 2, words, 12 * count];
    const taken = sizes.map((bytes) => this.#memory.take(bytes));
    const [gathered = 0, logits = 0, table = 0, sums = 0] = taken;
    const [logProbs, correct] = [sums + 4 * count, sums + 8 * count];
    const pieces: Pieces = { gathered, logits, words: table, logSums: sums, logProbs, correct };
    const tables = headTables(job.rows, job.targets, gradient?.values ?? null, most);
    this.#device.upload(table, tables.words);
    if (gradient?.logSums) this.#device.upload(sums, Float32Array.from(gradient.logSums));
    for (const chunk of tables.chunks) {
      this.#logits(job, pieces, chunk);
      if (steps.includes('logProbs')) this.#softmax(job, pieces, chunk);
      if (steps.includes('gradient') && dHidden !== null) this.#gradient(job, pieces, chunk, dHidden);
    }
    const result = steps.includes('logProbs') ? this.#result(sums, count) : emptyResult();
    for (const [index, pointer] of taken.entries()) this.#memory.give(pointer, sizes[index] ?? 0);
    return result;
  }

  #logits({ hidden, head }: HeadJob, { gathered, logits, words }: Pieces, { start, count }: ChunkTable): void {
    const grid = { x: Math.ceil((count * (head.cols / 8)) / THREADS), threads: THREADS };
    const from = [hidden.pointer, hidden.stride, words + 4 * start] as const;
    this.#device.launch('gather_rows', grid, gathered, head.cols, ...from, count, head.cols);
    this.#products.multiply({
      layout: 'nt',
      m: count,
      n: head.rows,
      k: head.cols,
      a: { pointer: gathered, stride: head.cols },
      b: head,
      c: { pointer: logits, stride: strideOf(head), type: 'b16' },
      alpha: 1,
      beta: 0,
    });
  }

  #softmax(job: HeadJob, pieces: Pieces, { start, count }: ChunkTable): void {
    const vocab = job.head.rows;
    const [at, grid] = [4 * start, { x: count, threads: ROW_THREADS }];
    const out = [pieces.logSums + at, pieces.logProbs + at, pieces.correct + at] as const;
    const targets = pieces.words + 4 * job.rows.length + at;
    const logits = [pieces.logits, strideOf(job.head)] as const;
    this.#device.launch('log_softmax', grid, ...out, ...logits, targets, vocab, 1 / job.temperature);
  }

  /** Logits become their gradients in place, and these the hidden states'. */
  #gradient(job: HeadJob, pieces: Pieces, chunk: ChunkTable, dHidden: CudaTensor): void {
    const { head, rows, temperature } = job;
    const { logits, gathered, words, logSums } = pieces;
    const { start, count, places, to, starts, order } = chunk;
    const [vocab, width, at] = [head.rows, head.cols, 4 * start];
    const [targets, slopes] = [words + 4 * rows.length + at, words + 8 * rows.length + at];
    const grid = { x: count, threads: ROW_THREADS };
    const inputs = [logSums + at, slopes, targets] as const;
    const stride = strideOf(head);
    this.#device.launch('log_softmax_backward', grid, logits, stride, ...inputs, vocab, 1 / temperature);
    this.#products.multiply({
      layout: 'nn',
      m: count,
      n: width,
      k: vocab,
      a: { pointer: logits, stride },
      b: head,
      c: { pointer: gathered, stride: width, type: 'b16' },
      alpha: 1,
      beta: 0,
    });
    const adders = { x: Math.ceil((places * (width / 8)) / THREADS), threads: THREADS };
    const table = [to, starts, order].map((word) => words + 4 * word);
    this.#device.launch('add_rows', adders, dHidden.pointer, dHidden.stride, gathered, width, ...table, places, width);
  }

  #result(sums: number, count: number): HeadResult {
    const words = new Float32Array(3 * count);
    this.#device.download(words, sums);
    const hits = new Int32Array(words.buffer, 8 * count, count);
    return {
      logSums: Float64Array.from(words.subarray(0, count)),
      logProbs: Float64Array.from(words.subarray(count, 2 * count)),
      correct: hits.reduce((sum, hit) => sum + hit, 0),
    };
  }
}

/** Elements from one row of logits to the next. */
function strideOf({ rows: vocab }: CudaTensor): number {
  return Math.ceil(vocab / WORDS) * WORDS;
}

function emptyResult(): HeadResult {
  return { logProbs: new Float64Array(), logSums: new Float64Array(), correct: 0 };
}
