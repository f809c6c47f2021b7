import type { Segment } from '../../data/batch.ts';
import type {
  AdamSettings,
  Backend,
  HeadNorms,
  HeadShape,
  Projection,
  Rotation,
  StreamSum,
  Tensor,
} from '../backend.ts';
import { attention, attentionBackward } from './attention.ts';
import { gemm } from './gemm.ts';
import { logProbs, logProbsBackward, logProbsWithGradient } from './head.ts';
import type { Floats } from './matrix.ts';
import { type CpuTensor, TensorMemory } from './memory.ts';
import { project, projectBackward } from './project.ts';
import type { Threads } from './threads.ts';

/** Rows that are worth waking another thread for, by how long a row of that operation takes. */
const FEW_ROWS = 8;
const ELEMENTS = 16_384;

/**
 * The operations of a training step on the CPU, in float32 or float64. Sums are in a fixed order, and in double precision
 * save those of matrix products in float32.
 * Each output row depends on its own inputs alone, so the result is the same, bit for bit, for any number of threads and
 * whatever else is in the pack.
 */
export class CpuBackend implements Backend {
  readonly name = 'cpu';
  readonly isRounding = false;
  readonly #threads: Threads;
  readonly #memory: TensorMemory;

  /** @param threads closed with the backend */
  constructor(threads: Threads, float64 = false) {
    this.#threads = threads;
    this.#memory = new TensorMemory(threads, float64);
  }

  tensor(rows: number, cols: number, values?: Floats): Tensor {
    const tensor = this.#memory.tensor(rows, cols, values !== undefined);
    if (values !== undefined) this.write(tensor, values);
    return tensor;
  }

  contiguous(shapes: readonly Tensor[]): { all: Tensor; parts: Tensor[] } {
    const length = shapes.reduce((sum, { rows, cols }) => sum + rows * cols, 0);
    const all = this.#memory.tensor(1, length);
    let at = 0;
    const parts = shapes.map(({ rows, cols }): CpuTensor => {
      const data = all.data.subarray(at, at + rows * cols);
      at += rows * cols;
      return { rows, cols, data };
    });
    return { all, parts };
  }

  free(tensor: Tensor): void {
    this.#memory.free(own(tensor));
  }

  write(tensor: Tensor, values: Floats): void {
    const { data } = own(tensor);
    if (values.length !== data.length) throw new RangeError(`${values.length} values for a tensor of ${data.length}`);
    data.set(values);
  }

  read(tensor: Tensor): Promise<Floats> {
    return Promise.resolve(own(tensor).data.slice());
  }

  fill(tensor: Tensor, value: number): void {
    own(tensor).data.fill(value);
  }

  memory(): number {
    return this.#memory.bytes;
  }

  embed(out: Tensor, table: Tensor, tokens: Int32Array): void {
    const { data, cols } = own(out);
    const from = own(table).data;
    for (const [row, token] of tokens.entries()) data.set(from.subarray(token * cols, (token + 1) * cols), row * cols);
  }

  rmsNorm(out: Tensor, rstd: Tensor, residual: Tensor, sum: StreamSum | null, weight: Tensor, eps: number): void {
    const args = {
      out: own(out).data,
      rstd: own(rstd).data,
      residual: own(residual).data,
      sum: sum === null ? null : { from: own(sum.from).data, delta: own(sum.delta).data },
      weight: own(weight).data,
      eps,
    };
    this.#threads.run('norm', out.rows, args, FEW_ROWS);
  }

  rmsNormBackward(dResidual: Tensor, dOut: Tensor, residual: Tensor, rstd: Tensor, weight: Tensor): void {
    const args = {
      dResidual: own(dResidual).data,
      dOut: own(dOut).data,
      residual: own(residual).data,
      rstd: own(rstd).data,
      weight: own(weight).data,
    };
    this.#threads.run('normBackward', dOut.rows, args, FEW_ROWS);
  }

  project(out: Tensor, lowRank: Tensor | null, x: Tensor, projection: Projection): void {
    project(this.#threads, own(out), lowRank === null ? null : own(lowRank), own(x), projection);
  }

  projectBackward(
    dX: Tensor | null,
    dOut: Tensor,
    lowRank: Tensor | null,
    x: Tensor | (() => Tensor),
    projection: Projection,
  ): void {
    const low = lowRank === null ? null : { rank: own(lowRank), d: this.#memory.tensor(lowRank.rows, lowRank.cols) };
    const read = () => own(typeof x === 'function' ? x() : x);
    projectBackward(this.#threads, dX === null ? null : own(dX), own(dOut), low, read, projection);
    if (low !== null) this.#memory.free(low.d);
  }

  rotate(
    out: Tensor,
    rstd: Tensor | null,
    qkv: Tensor,
    shape: HeadShape,
    rotation: Rotation,
    norms: HeadNorms | null,
  ): void {
    const args = { out: own(out).data, qkv: own(qkv).data, ...headArgs(rstd, shape, rotation, norms) };
    this.#threads.run('rotate', qkv.rows, args, FEW_ROWS);
  }

  rotateBackward(
    dQkv: Tensor,
    dOut: Tensor,
    qkv: Tensor,
    rstd: Tensor | null,
    shape: HeadShape,
    rotation: Rotation,
    norms: HeadNorms | null,
  ): void {
    const args = {
      dQkv: own(dQkv).data,
      dOut: own(dOut).data,
      qkv: own(qkv).data,
      ...headArgs(rstd, shape, rotation, norms),
    };
    this.#threads.run('rotateBackward', qkv.rows, args, FEW_ROWS);
  }

  attention(out: Tensor, logSum: Tensor, qkv: Tensor, shape: HeadShape, segments: readonly Segment[]): void {
    attention(this.#threads, own(out).data, own(logSum).data, own(qkv).data, shape, segments);
  }

  attentionBackward(
    dQkv: Tensor,
    dOut: Tensor,
    out: Tensor,
    logSum: Tensor,
    qkv: Tensor,
    shape: HeadShape,
    segments: readonly Segment[],
  ): void {
    const kept = [own(out).data, own(logSum).data, own(qkv).data] as const;
    attentionBackward(this.#threads, own(dQkv).data, own(dOut).data, ...kept, shape, segments);
  }

  swiglu(out: Tensor, gateUp: Tensor): void {
    const args = { out: own(out).data, gateUp: own(gateUp).data, width: out.cols };
    this.#threads.run('swiglu', out.rows, args, FEW_ROWS);
  }

  swigluBackward(dGateUp: Tensor, dOut: Tensor, gateUp: Tensor, active: Tensor | null): void {
    const args = {
      dGateUp: own(dGateUp).data,
      dOut: own(dOut).data,
      gateUp: own(gateUp).data,
      width: dOut.cols,
    };
    this.#threads.run('swigluBackward', dOut.rows, args, FEW_ROWS);
    if (active !== null) this.swiglu(active, gateUp);
  }

  logProbs(hidden: Tensor, head: Tensor, rows: Int32Array, targets: Int32Array, temperature: number) {
    const job = { hidden: own(hidden), head: own(head), rows, targets, temperature };
    return Promise.resolve(logProbs(this.#threads, this.#memory, job));
  }

  logProbsBackward(
    dHidden: Tensor,
    gradient: Float64Array,
    hidden: Tensor,
    head: Tensor,
    rows: Int32Array,
    targets: Int32Array,
    temperature: number,
    logSums: Float64Array,
  ): void {
    const job = { hidden: own(hidden), head: own(head), rows, targets, temperature };
    logProbsBackward(this.#threads, this.#memory, job, own(dHidden), gradient, logSums);
  }

  logProbsWithGradient(
    dHidden: Tensor,
    gradient: Float64Array,
    hidden: Tensor,
    head: Tensor,
    rows: Int32Array,
    targets: Int32Array,
    temperature: number,
  ) {
    const job = { hidden: own(hidden), head: own(head), rows, targets, temperature };
    return Promise.resolve(logProbsWithGradient(this.#threads, this.#memory, job, own(dHidden), gradient));
  }

  sumSquares(tensors: readonly Tensor[]): Promise<number> {
    let sum = 0;
    for (const tensor of tensors) for (const value of own(tensor).data) sum += value * value;
    return Promise.resolve(sum);
  }

  adamw(parameter: Tensor, gradient: Tensor, first: Tensor, second: Tensor, settings: AdamSettings): void {
    const args = {
      parameter: own(parameter).data,
      gradient: own(gradient).data,
      first: own(first).data,
      second: own(second).data,
      settings,
    };
    this.#threads.run('adamw', parameter.rows * parameter.cols, args, ELEMENTS);
  }

  /** Matrix products of [rows, inner] with [inner, cols] that were just timed, in FLOP/s; the best of a few. */
  measurePeak(rows: number, inner: number, cols: number, runs: number): number {
    const [a, b, c] = [[rows, inner] as const, [cols, inner] as const, [rows, cols] as const].map(([height, width]) =>
      this.#memory.tensor(height, width),
    ) as [CpuTensor, CpuTensor, CpuTensor];
    let best = Number.POSITIVE_INFINITY;
    for (let run = 0; run < runs; run++) {
      const start = performance.now();
      gemm(this.#threads, c, a, b, { transposeB: true });
      best = Math.min(best, performance.now() - start);
    }
    for (const tensor of [a, b, c]) this.#memory.free(tensor);
    return (2 * rows * inner * cols) / (best / 1000);
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }
}

function headArgs(rstd: Tensor | null, shape: HeadShape, rotation: Rotation, norms: HeadNorms | null) {
  return {
    rstd: rstd === null ? null : own(rstd).data,
    shape,
    cos: own(rotation.cos).data,
    sin: own(rotation.sin).data,
    positions: rotation.positions,
    norms: norms === null ? null : { q: own(norms.q).data, k: own(norms.k).data, eps: norms.eps },
  };
}

/** A tensor of this backend; it hands out no other kind. */
function own(tensor: Tensor): CpuTensor {
  return tensor as CpuTensor;
}
