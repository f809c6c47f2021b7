import type { Segment } from '../../data/batch.ts';
import type { Gpu } from '../../gpu/device.ts';
import { normPieces } from '../../gpu/kernel-constants.ts';
import type { Memory } from '../../gpu/memory.ts';
import { PassMemory } from '../../gpu/pass-memory.ts';
import { MemoryPool } from '../../gpu/pool.ts';
import type { Multiplier } from '../../gpu/product.ts';
import { IDLE_GPU, IdleMultiplier, RehearsalMemory } from '../../gpu/rehearsal.ts';
import type {
  AdamSettings,
  Backend,
  HeadNorms,
  HeadShape,
  PassPlanner,
  Projection,
  Rotation,
  StreamSum,
  Tensor,
  TensorKind,
} from '../backend.ts';
import { Attention } from './attention.ts';
import { Head } from './head.ts';
import { Projections } from './projections.ts';
import { type CudaTensor, padFor, TensorStore } from './tensors.ts';
import { download, upload } from './transfer.ts';

type Floats = Float32Array | Float64Array;
const THREADS = 256;
const WARPS = THREADS / 32;
/** Elements for each block of a sum of squares, and most blocks; the host adds up a number a block. */
const SUM_SHARE = 8192;
const MOST_SUMS = 1024;

/**
 * The operations of a training step on a GPU: activations and weights in bfloat16, statistics, adapters, gradients and moments in
 * float32. What rounding takes from the residual stream is kept beside it (docs/decisions/0008-rounding-of-gradients.md). Every
 * sum has one order, so the same seed gives the same bits on the same GPU.
 */
export class CudaBackend implements Backend {
  readonly name = 'cuda';
  readonly isRounding = true;
  readonly passes: PassPlanner | null;
  readonly #device: Gpu;
  readonly #pool: MemoryPool;
  readonly #memory: Memory;
  readonly #products: Multiplier;
  readonly #tensors: TensorStore;
  readonly #projections: Projections;
  readonly #attention: Attention;
  readonly #head: Head;
  #positions: { of: Int32Array; pointer: number; bytes: number } | null = null;

  /**
   * @param products closed with the backend, as the device is
   * @param rank of the adapters
   * @param rehearsal memory of a backend on which passes are only rehearsed; left out: the GPU's
   */
  constructor(device: Gpu, products: Multiplier, rank: number, rehearsal: Memory | null = null) {
    this.#device = device;
    this.#products = products;
    this.#pool = new MemoryPool(device);
    const passes = rehearsal === null ? new PassMemory(this.#pool) : null;
    const memory = passes ?? rehearsal ?? this.#pool;
    this.#memory = memory;
    this.#tensors = new TensorStore(device, this.#pool, memory, padFor(rank));
    this.#projections = new Projections(device, products, this.#tensors);
    this.#attention = new Attention(device, this.#pool, memory);
    const workspace = products.workspace + this.#attention.workspace;
    this.passes = passes === null ? null : planner(passes, this.#pool, workspace, rank);
    this.#head = new Head(device, memory, products);
  }

  /** What computes attention, for people: "cuDNN 9.19", "own kernels". */
  get attentionBy(): string {
    return this.#attention.name;
  }

  tensor(rows: number, cols: number, values?: Floats, kind: TensorKind = 'activation'): CudaTensor {
    const tensor = this.#tensors.create(rows, cols, kind);
    if (values !== undefined) this.write(tensor, values);
    return tensor;
  }

  contiguous(shapes: readonly Tensor[]): { all: Tensor; parts: Tensor[] } {
    return this.#tensors.contiguous(shapes);
  }

  free(tensor: Tensor): void {
    this.#tensors.free(own(tensor));
  }

  write(tensor: Tensor, values: Floats): void {
    upload(this.#device, this.#tensors.target(own(tensor)), values);
    this.#projections.forget();
  }

  read(tensor: Tensor): Promise<Floats> {
    return Promise.resolve(download(this.#device, this.#tensors.settled(own(tensor))));
  }

  fill(tensor: Tensor, value: number): void {
    if (value !== 0) throw new RangeError('only zeros are filled in on the GPU');
    this.#tensors.freshen(own(tensor));
  }

  memory(): number {
    return this.#pool.held + this.#products.workspace + this.#attention.workspace;
  }

  embed(out: Tensor, table: Tensor, tokens: Int32Array): void {
    const [to, from] = [this.#tensors.target(own(out)), own(table)];
    const bytes = tokens.byteLength;
    const indices = this.#memory.take(bytes);
    this.#device.upload(indices, tokens);
    const size = [tokens.length, from.cols] as const;
    this.#device.launch('gather_rows', pieces(to), to.pointer, to.stride, from.pointer, from.stride, indices, ...size);
    this.#memory.give(indices, bytes);
  }

  rmsNorm(
    out: Tensor,
    rstd: Tensor,
    residual: Tensor,
    sum: StreamSum | null,
    weight: Tensor,
    eps: number,
    rest: Tensor | null = null,
  ): void {
    const [to, means, w] = [this.#tensors.target(own(out)), this.#tensors.target(own(rstd)), own(weight)];
    const from = sum === null ? null : this.#tensors.settled(own(sum.from));
    const delta = sum === null ? null : this.#tensors.settled(own(sum.delta));
    const kept = sum === null ? this.#tensors.settled(own(residual)) : this.#tensors.target(own(residual));
    this.#device.launch(
      `rms_norm_${normPieces(kept.cols)}`,
      warpRows(kept.rows),
      to.pointer,
      to.stride,
      means.pointer,
      kept.pointer,
      kept.stride,
      from?.pointer ?? null,
      from?.stride ?? 0,
      delta?.pointer ?? null,
      delta?.stride ?? 0,
      ...this.#lost(sum?.lost ?? null),
      w.pointer,
      kept.rows,
      kept.cols,
      eps,
    );
    if (rest === null) return;
    const more = this.#tensors.target(own(rest));
    const read = [kept.pointer, kept.stride, means.pointer, w.pointer] as const;
    this.#device.launch('norm_rest', pieces(more), more.pointer, more.stride, ...read, kept.rows, kept.cols);
  }

  /** What rounding took before, as kernels take it: address, stride, and whether to begin it (0), pass it on or add it (2). */
  #lost(lost: StreamSum['lost']): readonly [number | null, number, number] {
    if (lost === null) return [null, 0, 0];
    const tensor = own(lost.tensor);
    const use = tensor.isFresh ? 0 : lost.isAdded ? 2 : 1;
    this.#tensors.target(tensor);
    return [tensor.pointer, tensor.stride, use];
  }

  rmsNormBackward(
    dResidual: Tensor,
    dOut: Tensor,
    residual: Tensor,
    rstd: Tensor,
    weight: Tensor,
    lost: Tensor | null = null,
  ): void {
    const [to, d] = [this.#tensors.settled(own(dResidual)), this.#tensors.settled(own(dOut))];
    const [x, means, w] = [own(residual), own(rstd), own(weight)];
    const carried = this.#lost(lost === null ? null : { tensor: lost, isAdded: true });
    const matrices = [to.pointer, to.stride, ...carried, d.pointer, d.stride, x.pointer, x.stride] as const;
    const name = `rms_norm_backward_${normPieces(x.cols)}`;
    this.#device.launch(name, warpRows(x.rows), ...matrices, means.pointer, w.pointer, x.rows, x.cols);
  }

  project(out: Tensor, lowRank: Tensor | null, x: Tensor, projection: Projection, rest: Tensor | null = null): void {
    const [low, more] = [lowRank, rest].map((tensor) => (tensor === null ? null : own(tensor)));
    this.#projections.project(own(out), low ?? null, own(x), projection, more ?? null);
  }

  projectBackward(
    dX: Tensor | null,
    dOut: Tensor,
    lowRank: Tensor | null,
    x: Tensor | (() => Tensor),
    projection: Projection,
  ): void {
    const low = lowRank === null ? null : own(lowRank);
    const read = () => own(typeof x === 'function' ? x() : x);
    this.#projections.backward(dX === null ? null : own(dX), own(dOut), low, read, projection);
  }

  rotate(
    out: Tensor,
    rstd: Tensor | null,
    qkv: Tensor,
    shape: HeadShape,
    rotation: Rotation,
    norms: HeadNorms | null,
    kept: Tensor | null = null,
  ): void {
    const [to, from] = [this.#tensors.target(own(out)), own(qkv)];
    const means = rstd === null ? null : this.#tensors.target(own(rstd)).pointer;
    const tables = this.#rotation(rotation, norms);
    const size = [from.rows, shape.heads, shape.kvHeads, norms?.eps ?? 0] as const;
    const isExact = from.kind === 'exact';
    const name = `rotate_${isExact ? 'exact_' : ''}${shape.headDim}`;
    const copy = kept === null ? null : this.#tensors.target(own(kept));
    const narrowed = isExact ? [copy?.pointer ?? null, copy?.stride ?? 0] : [];
    const matrices = [to.pointer, to.stride, ...narrowed, means, from.pointer, from.stride] as const;
    this.#device.launch(name, headGroups(from.rows, shape), ...matrices, ...tables, ...size);
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
    const [to, d, x] = [this.#tensors.target(own(dQkv)), this.#tensors.settled(own(dOut)), own(qkv)];
    const means = rstd === null ? null : own(rstd).pointer;
    const matrices = [to.pointer, to.stride, d.pointer, d.stride, x.pointer, x.stride, means] as const;
    const size = [x.rows, shape.heads, shape.kvHeads] as const;
    const name = `rotate_backward_${shape.headDim}`;
    this.#device.launch(name, headGroups(x.rows, shape), ...matrices, ...this.#rotation(rotation, norms), ...size);
  }

  /** Addresses of cosines, sines, positions and the weights of both norms. */
  #rotation({ cos, sin, positions }: Rotation, norms: HeadNorms | null) {
    const query = norms === null ? null : own(norms.q).pointer;
    const key = norms === null ? null : own(norms.k).pointer;
    return [own(cos).pointer, own(sin).pointer, this.#positionsOf(positions), query, key] as const;
  }

  /** Positions on the GPU; all layers of a pack use the same. */
  #positionsOf(positions: Int32Array): number {
    const known = this.#positions;
    if (known !== null && known.of === positions) return known.pointer;
    if (known !== null) this.#pool.give(known.pointer, known.bytes);
    const bytes = positions.byteLength;
    const pointer = this.#pool.take(bytes);
    this.#device.upload(pointer, positions);
    this.#positions = { of: positions, pointer, bytes };
    return pointer;
  }

  attention(out: Tensor, logSum: Tensor, qkv: Tensor, shape: HeadShape, segments: readonly Segment[]): void {
    const [to, sums] = [this.#tensors.target(own(out)), this.#tensors.target(own(logSum))];
    this.#attention.forward(to, sums, own(qkv), shape, segments);
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
    const [to, d] = [this.#tensors.target(own(dQkv)), this.#tensors.settled(own(dOut))];
    this.#attention.backward(to, d, own(out), own(logSum), own(qkv), shape, segments);
  }

  swiglu(out: Tensor, gateUp: Tensor): void {
    const [to, from] = [this.#tensors.target(own(out)), own(gateUp)];
    this.#device.launch('swiglu', pieces(to), to.pointer, to.stride, from.pointer, from.stride, to.rows, to.cols);
  }

  swigluBackward(dGateUp: Tensor, dOut: Tensor, gateUp: Tensor, active: Tensor | null): void {
    const [to, d, from] = [this.#tensors.target(own(dGateUp)), this.#tensors.settled(own(dOut)), own(gateUp)];
    const again = active === null ? null : this.#tensors.target(own(active));
    const read = [d.pointer, d.stride, from.pointer, from.stride] as const;
    const written = [to.pointer, to.stride, ...read, again?.pointer ?? null, again?.stride ?? 0] as const;
    this.#device.launch('swiglu_backward', pieces(d), ...written, d.rows, d.cols);
  }

  logProbs(hidden: Tensor, head: Tensor, rows: Int32Array, targets: Int32Array, temperature: number) {
    return Promise.resolve(this.#head.logProbs({ hidden: own(hidden), head: own(head), rows, targets, temperature }));
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
    this.#head.backward(job, this.#tensors.settled(own(dHidden)), gradient, logSums);
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
    return Promise.resolve(this.#head.withGradient(job, this.#tensors.settled(own(dHidden)), gradient));
  }

  sumSquares(tensors: readonly Tensor[]): Promise<number> {
    const blocks = tensors.map(({ rows, cols }) => Math.min(MOST_SUMS, Math.ceil((rows * cols) / SUM_SHARE)));
    const partial = new Float32Array(blocks.reduce((sum, count) => sum + count, 0));
    const sums = this.#pool.take(partial.byteLength);
    let to = sums;
    for (const [index, tensor] of tensors.entries()) {
      const { pointer, rows, cols } = this.#tensors.settled(own(tensor));
      const x = blocks[index] ?? 0;
      this.#device.launch('sum_squares', { x, threads: THREADS }, to, pointer, rows * cols);
      to += x * 4;
    }
    this.#device.download(partial, sums);
    this.#pool.give(sums, partial.byteLength);
    let sum = 0;
    for (const value of partial) sum += value;
    return Promise.resolve(sum);
  }

  adamw(parameter: Tensor, gradient: Tensor, first: Tensor, second: Tensor, settings: AdamSettings): void {
    const all = [parameter, gradient, first, second].map((tensor) => this.#tensors.settled(own(tensor)).pointer);
    const { lr, beta1, beta2, eps, weightDecay, gradScale, step } = settings;
    const corrections = [1 - beta1 ** step, Math.sqrt(1 - beta2 ** step)] as const;
    const count = parameter.rows * parameter.cols;
    const grid = { x: Math.ceil(count / THREADS), threads: THREADS };
    this.#device.launch('adamw', grid, ...all, count, lr, beta1, beta2, eps, weightDecay, gradScale, ...corrections);
    this.#projections.forget();
  }

  close(): Promise<void> {
    this.#products.close();
    this.#attention.close();
    this.#device.close();
    return Promise.resolve();
  }
}

/** Plans passes by rehearsing them on a backend like this one. */
function planner(memory: PassMemory, pool: MemoryPool, workspace: number, rank: number): PassPlanner {
  return {
    workspace,
    available: () => pool.available,
    rehearse() {
      const notes = new RehearsalMemory();
      const idle = new IdleMultiplier();
      const backend = new CudaBackend(IDLE_GPU, idle, rank, notes);
      return { backend, notes, largestProduct: () => idle.largest };
    },
    adopt: (plans) => memory.adopt(plans),
    begin: (plan) => memory.begin(plan),
    end: () => memory.end(),
  };
}

/** A warp a row. */
function warpRows(rows: number) {
  return { x: Math.ceil(rows / WARPS), threads: THREADS };
}

/** A thread for each eight elements. */
function pieces({ rows, cols }: Tensor) {
  return { x: Math.ceil((rows * (cols / 8)) / THREADS), threads: THREADS };
}

/** headDim / 4 threads for each head of each row. */
function headGroups(rows: number, { heads, kvHeads, headDim }: HeadShape) {
  return { x: Math.ceil((rows * (heads + 2 * kvHeads) * (headDim / 4)) / THREADS), threads: THREADS };
}

/** A tensor of this backend; it hands out no other kind. */
function own(tensor: Tensor): CudaTensor {
  return tensor as CudaTensor;
}
