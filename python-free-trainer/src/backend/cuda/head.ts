import type { Device } from '../../gpu/device.ts';
import type { MemoryPool } from '../../gpu/pool.ts';
import type { Multiplier } from '../../gpu/product.ts';
import type { CudaTensor } from './tensors.ts';

/** Most logits held at once: 2 bytes each. */
const LOGITS = 2 ** 28;
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

/** A chunk of loss positions with its pieces of GPU memory. */
interface Chunk {
  start: number;
  count: number;
  /** Hidden states of the rows, [count, hidden], bfloat16 without gaps. */
  gathered: number;
  logits: number;
  targets: number;
  floats: { logSum: number; logProb: number; gradient: number };
  correct: number;
}

/** The output head in chunks, so that all logits are never there at once. */
export class Head {
  readonly #device: Device;
  readonly #pool: MemoryPool;
  readonly #products: Multiplier;

  constructor(device: Device, pool: MemoryPool, products: Multiplier) {
    this.#device = device;
    this.#pool = pool;
    this.#products = products;
  }

  /** See `Backend.logProbs`. */
  logProbs(job: HeadJob): { logProbs: Float64Array; logSums: Float64Array; correct: number } {
    const count = job.rows.length;
    const result = { logProbs: new Float64Array(count), logSums: new Float64Array(count), correct: 0 };
    this.#overChunks(job, (chunk) => {
      const { logSum, logProb } = chunk.floats;
      const grid = { x: chunk.count, threads: ROW_THREADS };
      const [vocab, scale] = [job.head.rows, 1 / job.temperature];
      this.#device.launch(
        'log_softmax',
        grid,
        logSum,
        logProb,
        chunk.correct,
        chunk.logits,
        vocab,
        chunk.targets,
        vocab,
        scale,
      );
      const floats = new Float32Array(chunk.count);
      this.#device.download(floats, logSum);
      result.logSums.set(floats, chunk.start);
      this.#device.download(floats, logProb);
      result.logProbs.set(floats, chunk.start);
      const correct = new Int32Array(chunk.count);
      this.#device.download(correct, chunk.correct);
      result.correct += correct.reduce((sum, value) => sum + value, 0);
    });
    return result;
  }

  /** See `Backend.logProbsBackward`; the logits are computed again. */
  backward(job: HeadJob, dHidden: CudaTensor, gradient: Float64Array, logSums: Float64Array): void {
    const { head } = job;
    this.#overChunks(job, (chunk) => {
      const { start, count, floats, gathered } = chunk;
      this.#device.upload(floats.gradient, Float32Array.from(gradient.subarray(start, start + count)));
      this.#device.upload(floats.logSum, Float32Array.from(logSums.subarray(start, start + count)));
      const [vocab, scale] = [head.rows, 1 / job.temperature];
      const grid = { x: count, threads: ROW_THREADS };
      const { logSum, gradient: slopes } = floats;
      this.#device.launch(
        'log_softmax_backward',
        grid,
        chunk.logits,
        vocab,
        logSum,
        slopes,
        chunk.targets,
        vocab,
        scale,
      );
      this.#products.multiply({
        layout: 'nn',
        m: count,
        n: head.cols,
        k: vocab,
        a: { pointer: chunk.logits, stride: vocab },
        b: head,
        c: { pointer: gathered, stride: head.cols, type: 'b16' },
        alpha: 1,
        beta: 0,
      });
      this.#addRows(dHidden, gathered, job.rows.subarray(start, start + count));
    });
  }

  /** dHidden[rows[i]] += values[i]; a row that stands there several times gets its values in one order. */
  #addRows(dHidden: CudaTensor, values: number, rows: Int32Array): void {
    const places = new Map<number, number[]>();
    for (const [index, row] of rows.entries()) {
      const known = places.get(row);
      if (known === undefined) places.set(row, [index]);
      else known.push(index);
    }
    const starts = new Int32Array(places.size + 1);
    const order = new Int32Array(rows.length);
    let at = 0;
    for (const [index, indices] of [...places.values()].entries()) {
      order.set(indices, at);
      at += indices.length;
      starts[index + 1] = at;
    }
    const tables = [Int32Array.from(places.keys()), starts, order].map((table) => this.#table(table));
    const [to = 0, from = 0, sorted = 0] = tables.map(({ pointer }) => pointer);
    const width = dHidden.cols;
    const grid = { x: Math.ceil((places.size * (width / 8)) / THREADS), threads: THREADS };
    this.#device.launch(
      'add_rows',
      grid,
      dHidden.pointer,
      dHidden.stride,
      values,
      width,
      to,
      from,
      sorted,
      places.size,
      width,
    );
    for (const { pointer, bytes } of tables) this.#pool.give(pointer, bytes);
  }

  #table(values: Int32Array): { pointer: number; bytes: number } {
    const bytes = values.byteLength;
    const pointer = this.#pool.take(bytes);
    this.#device.upload(pointer, values);
    return { pointer, bytes };
  }

  #overChunks(job: HeadJob, call: (chunk: Chunk) => void): void {
    const { hidden, head, rows, targets } = job;
    const most = Math.min(rows.length, Math.max(1, Math.floor(LOGITS / head.rows)));
    if (most === 0) return;
    const sizes = [
      most * head.cols * 2,
      most * head.rows * 2,
      most * 4,
      most * 4,
      most * 4,
      most * 4,
      most * 4,
      most * 4,
    ];
    const pieces = sizes.map((bytes) => this.#pool.take(bytes));
    const [gathered = 0, logits = 0, index = 0, target = 0, logSum = 0, logProb = 0, gradient = 0, correct = 0] =
      pieces;
    for (let start = 0; start < rows.length; start += most) {
      const count = Math.min(most, rows.length - start);
      this.#device.upload(index, rows.slice(start, start + count));
      this.#device.upload(target, targets.slice(start, start + count));
      const grid = { x: Math.ceil((count * (head.cols / 8)) / THREADS), threads: THREADS };
      this.#device.launch(
        'gather_rows',
        grid,
        gathered,
        head.cols,
        hidden.pointer,
        hidden.stride,
        index,
        count,
        head.cols,
      );
      this.#products.multiply({
        layout: 'nt',
        m: count,
        n: head.rows,
        k: head.cols,
        a: { pointer: gathered, stride: head.cols },
        b: head,
        c: { pointer: logits, stride: head.rows, type: 'b16' },
        alpha: 1,
        beta: 0,
      });
      call({ start, count, gathered, logits, targets: target, floats: { logSum, logProb, gradient }, correct });
    }
    for (const [index_, pointer] of pieces.entries()) this.#pool.give(pointer, sizes[index_] ?? 0);
  }
}
