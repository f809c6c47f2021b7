import { gemm } from './gemm.ts';
import type { CpuTensor, TensorMemory } from './memory.ts';
import type { Threads } from './threads.ts';

/** Most logits held at once. */
const LOGITS = 2 ** 23;

/** What the output head is asked for. */
export interface HeadJob {
  hidden: CpuTensor;
  /** [vocab, hidden]. */
  head: CpuTensor;
  rows: Int32Array;
  targets: Int32Array;
  temperature: number;
}

/** A chunk of a job: its rows of the hidden states, gathered, and their logits. */
interface Chunk {
  start: number;
  targets: Int32Array;
  hidden: CpuTensor;
  logits: CpuTensor;
}

interface Results {
  logProbs: Float64Array;
  logSums: Float64Array;
  correct: number;
}

/** See `Backend.logProbs`. */
export function logProbs(threads: Threads, memory: TensorMemory, job: HeadJob): Results {
  const results = emptyResults(job);
  overChunks(threads, memory, job, (chunk) => chunkLogProbs(threads, chunk, results));
  return results;
}

/** See `Backend.logProbsBackward`; the logits are computed again. */
export function logProbsBackward(
  threads: Threads,
  memory: TensorMemory,
  job: HeadJob,
  dHidden: CpuTensor,
  gradient: Float64Array,
  logSums: Float64Array,
): void {
  overChunks(threads, memory, job, (chunk) => chunkBackward(threads, chunk, job, dHidden, gradient, logSums));
}

/** See `Backend.logProbsWithGradient`. */
export function logProbsWithGradient(
  threads: Threads,
  memory: TensorMemory,
  job: HeadJob,
  dHidden: CpuTensor,
  gradient: Float64Array,
): Results {
  const results = emptyResults(job);
  overChunks(threads, memory, job, (chunk) => {
    chunkLogProbs(threads, chunk, results);
    chunkBackward(threads, chunk, job, dHidden, gradient, results.logSums);
  });
  return results;
}

function emptyResults({ rows: { length } }: HeadJob): Results {
  return { logProbs: new Float64Array(length), logSums: new Float64Array(length), correct: 0 };
}

function chunkLogProbs(threads: Threads, { start, targets, logits }: Chunk, results: Results): void {
  const out = threads.scratch('log probabilities', 3 * targets.length, true);
  threads.run('logProb', targets.length, { logits: logits.data, vocab: logits.cols, targets, out });
  for (let row = 0; row < targets.length; row++) {
    results.logProbs[start + row] = out[row * 3] as number;
    results.logSums[start + row] = out[row * 3 + 1] as number;
    results.correct += out[row * 3 + 2] as number;
  }
}

function chunkBackward(
  threads: Threads,
  { start, targets, hidden, logits }: Chunk,
  job: HeadJob,
  dHidden: CpuTensor,
  gradient: Float64Array,
  logSums: Float64Array,
): void {
  const rows = threads.scratch('gradients of rows', 2 * targets.length, true);
  for (let row = 0; row < targets.length; row++) {
    rows[row * 2] = gradient[start + row] as number;
    rows[row * 2 + 1] = logSums[start + row] as number;
  }
  threads.run('logProbBackward', targets.length, { logits: logits.data, vocab: logits.cols, targets, rows });
  gemm(threads, hidden, logits, job.head, { alpha: 1 / job.temperature });
  for (let row = 0; row < targets.length; row++) addRow(dHidden, job.rows[start + row] as number, hidden, row);
}

function overChunks(threads: Threads, memory: TensorMemory, job: HeadJob, call: (chunk: Chunk) => void): void {
  const { head, rows, targets } = job;
  const most = Math.max(1, Math.floor(LOGITS / head.rows));
  for (let start = 0; start < rows.length; start += most) {
    const end = Math.min(start + most, rows.length);
    const hidden = memory.tensor(end - start, head.cols);
    const logits = memory.tensor(end - start, head.rows);
    for (let row = start; row < end; row++) addRow(hidden, row - start, job.hidden, rows[row] as number);
    gemm(threads, logits, hidden, head, { transposeB: true, alpha: 1 / job.temperature });
    call({ start, targets: targets.slice(start, end), hidden, logits });
    memory.free(hidden);
    memory.free(logits);
  }
}

/** to[toRow] += from[fromRow]. */
function addRow(to: CpuTensor, toRow: number, from: CpuTensor, fromRow: number): void {
  const width = to.cols;
  for (let i = 0; i < width; i++)
    to.data[toRow * width + i] = (to.data[toRow * width + i] as number) + (from.data[fromRow * width + i] as number);
}
