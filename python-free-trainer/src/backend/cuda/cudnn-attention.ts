import type { Segment } from '../../data/batch.ts';
import { type Cudnn, loadCudnn } from '../../ffi/cudnn.ts';
import { findLibrary } from '../../ffi/libraries.ts';
import type { CudnnPlan } from '../../gpu/cudnn-graph.ts';
import type { Device } from '../../gpu/device.ts';
import type { Memory } from '../../gpu/memory.ts';
import { groupTables, groupTexts, type TextGroup } from '../../gpu/text-groups.ts';
import type { HeadShape } from '../backend.ts';
import { type AttentionShape, backwardPlan, forwardPlan, ID } from './cudnn-attention-graph.ts';
import type { CudaTensor } from './tensors.ts';

/** The first version without known errors in these graphs: 9.10.0 and 9.10.1 have one in the backward pass. */
const OLDEST = 91002;
/** Bytes that one run of the backward pass may need. */
const WORKSPACE = 5 * 2 ** 28;
/** Bytes of it that cuDNN takes for small things. */
const MARGIN = 2 ** 20;
/** Texts that one run takes at most. */
const MOST_TEXTS = 128;

type Addresses = [id: number, address: number][];

/** A plan, and what it runs on beside the tensors of the layer. */
interface Job {
  plan: CudnnPlan;
  shape: AttentionShape;
  tables: Addresses;
}

type PassName = 'forward' | 'backward';

/** A pack and its jobs so far; all layers use the same. null: nothing for cuDNN. */
interface Pack {
  segments: readonly Segment[];
  layout: Layout;
  jobs: Map<PassName, Job[] | null>;
  pieces: { pointer: number; bytes: number }[];
}

/** What jobs are made from. */
interface Layout {
  heads: HeadShape;
  qkvStride: number;
  outStride: number;
  rows: number;
}

/**
 * Attention by cuDNN for packs of texts that share nothing. Both passes return false, with nothing queued, where it cannot do the
 * work. Log-sums are those of our own kernels, so that either's backward pass may follow either's forward pass.
 */
export class CudnnAttention {
  /** For people: "cuDNN 9.19". */
  readonly name: string;
  /** Bytes of the GPU that it holds. */
  readonly workspace: number;
  readonly #device: Device;
  readonly #pool: Memory;
  readonly #cudnn: Cudnn;
  readonly #handle: number;
  readonly #isDeterministic: boolean;
  readonly #workspace: number;
  /** null: cuDNN has no engine for it. */
  readonly #plans = new Map<string, CudnnPlan | null>();
  #pack: Pack | null = null;

  /**
   * @param isDeterministic false: sums of the backward pass come in any order, for comparison alone
   * @throws Error where cuDNN does not start, AppError `cuda_failed` where the workspace does not fit
   */
  constructor(device: Device, pool: Memory, cudnn: Cudnn, { isDeterministic = true, workspace = WORKSPACE } = {}) {
    this.name = `cuDNN ${Math.floor(cudnn.version / 10_000)}.${Math.floor(cudnn.version / 100) % 100}`;
    this.workspace = workspace;
    this.#device = device;
    this.#pool = pool;
    this.#cudnn = cudnn;
    this.#handle = openHandle(cudnn, device);
    this.#isDeterministic = isDeterministic;
    this.#workspace = device.allocate(workspace);
  }

  forward(
    out: CudaTensor,
    logSum: CudaTensor,
    qkv: CudaTensor,
    heads: HeadShape,
    segments: readonly Segment[],
  ): boolean {
    const jobs = this.#jobsOf('forward', layoutOf(qkv, out, heads), segments);
    if (jobs === null) return false;
    const tensors: Addresses = [...headsOf(qkv, heads, ID), [ID.out, out.pointer], [ID.logSum, logSum.pointer]];
    for (const job of jobs) this.#run(job, tensors);
    return true;
  }

  /** @param dots [rows, heads] float32, to be written */
  backward(
    dQkv: CudaTensor,
    dOut: CudaTensor,
    out: CudaTensor,
    logSum: CudaTensor,
    qkv: CudaTensor,
    heads: HeadShape,
    segments: readonly Segment[],
    dots: number,
  ): boolean {
    const jobs = this.#jobsOf('backward', layoutOf(qkv, out, heads), segments);
    if (jobs === null || dQkv.stride !== qkv.stride || dOut.stride !== out.stride) return false;
    const tensors: Addresses = [
      ...headsOf(qkv, heads, ID),
      ...headsOf(dQkv, heads, { q: ID.dQ, k: ID.dK, v: ID.dV }),
      [ID.out, out.pointer],
      [ID.dOut, dOut.pointer],
      [ID.logSum, logSum.pointer],
      [ID.dots, dots],
    ];
    for (const job of jobs)
      if (this.#isDeterministic) this.#run(job, tensors);
      else this.#runWithSums(job, tensors);
    return true;
  }

  close(): void {
    for (const plan of this.#plans.values()) plan?.close();
    this.#cudnn.cudnnDestroy(this.#handle);
    this.#device.free(this.#workspace);
  }

  #run({ plan, tables }: Job, tensors: Addresses): void {
    plan.run([...tensors, ...tables], this.#workspace);
  }

  #runWithSums(job: Job, tensors: Addresses): void {
    const { texts, heads, length, headDim } = job.shape;
    const bytes = texts * heads * length * headDim * 4;
    const sums = this.#pool.take(bytes);
    this.#run(job, [...tensors, [ID.dQSums, sums]]);
    this.#pool.give(sums, bytes);
  }

  #jobsOf(pass: PassName, layout: Layout, segments: readonly Segment[]): Job[] | null {
    const pack = this.#packOf(layout, segments);
    let jobs = pack.jobs.get(pass);
    if (jobs === undefined) {
      jobs = fits(layout, segments) ? this.#makeJobs(pass, pack) : null;
      pack.jobs.set(pass, jobs);
    }
    return jobs;
  }

  #packOf(layout: Layout, segments: readonly Segment[]): Pack {
    const known = this.#pack;
    if (known !== null && known.segments === segments && keyOf(known.layout) === keyOf(layout)) return known;
    for (const { pointer, bytes } of known?.pieces ?? []) this.#pool.give(pointer, bytes);
    this.#pack = { segments, layout, jobs: new Map(), pieces: [] };
    return this.#pack;
  }

  #makeJobs(pass: PassName, pack: Pack): Job[] | null {
    const { heads } = pack.layout;
    const room = (length: number) => (pass === 'forward' ? MOST_TEXTS : roomFor(length, heads, this.workspace));
    const groups = groupTexts(pack.segments, room);
    if (groups === null) return null;
    const jobs: Job[] = [];
    for (const group of groups) {
      const shape = shapeOf(group, pack.layout);
      const plan = this.#plan(pass, shape);
      if (plan === null) return null;
      jobs.push({ plan, shape, tables: this.#tables(group, pack) });
    }
    return jobs;
  }

  #plan(pass: PassName, shape: AttentionShape): CudnnPlan | null {
    const key = `${pass} ${Object.values(shape).join(' ')}`;
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const plan = this.#makePlan(pass, shape);
    this.#plans.set(key, plan);
    return plan;
  }

  #makePlan(pass: PassName, shape: AttentionShape): CudnnPlan | null {
    const [cudnn, handle] = [this.#cudnn, this.#handle];
    try {
      const plan =
        pass === 'forward'
          ? forwardPlan(cudnn, handle, shape)
          : backwardPlan(cudnn, handle, shape, this.#isDeterministic);
      if (plan.workspace <= this.workspace) return plan;
      plan.close();
    } catch {
      // cuDNN has no engine for it on this GPU; our own kernels do the work.
    }
    return null;
  }

  #tables(group: TextGroup, { layout, pieces }: Pack): Addresses {
    const { heads, qkvStride, outStride } = layout;
    const { values, begins } = groupTables(group, [qkvStride, outStride, heads.heads]);
    const bytes = values.byteLength;
    const pointer = this.#pool.take(bytes);
    pieces.push({ pointer, bytes });
    this.#device.upload(pointer, values);
    const ids = [ID.lengths, ID.qkvOffsets, ID.outOffsets, ID.logSumOffsets];
    return ids.map((id, index) => [id, pointer + 4 * (begins[index] ?? 0)]);
  }
}

/**
 * cuDNN where it is found with what it needs, new enough, on a GPU of the Hopper generation: on others our own kernels are as
 * fast, or it has not been tried. Else null.
 */
export function openCudnnAttention(device: Device, pool: Memory): CudnnAttention | null {
  if (Math.floor(device.capability / 10) !== 9) return null;
  const cudnn = openCudnn();
  try {
    return cudnn === null || cudnn.version < OLDEST ? null : new CudnnAttention(device, pool, cudnn);
  } catch {
    // It does not start on this GPU, or the GPU is nearly full.
    return null;
  }
}

/** The library with what it needs, null where anything is missing. */
export function openCudnn(): Cudnn | null {
  const [file, cublasLt, nvrtc] = (['cudnn', 'cublasLt', 'nvrtc'] as const).map((name) => findLibrary(name).path);
  if (file == null || cublasLt == null || nvrtc == null) return null;
  try {
    return loadCudnn(file, { cublasLt, nvrtc });
  } catch {
    // A file of that name that is none, or that lacks what it needs beside it.
    return null;
  }
}

/** @throws Error where cuDNN does not start */
function openHandle(cudnn: Cudnn, device: Device): number {
  const out = Buffer.alloc(8);
  if (cudnn.cudnnCreate(out) !== 0) throw new Error(`cuDNN does not start: ${cudnn.lastError()}`);
  const handle = Number(out.readBigUInt64LE(0));
  cudnn.cudnnSetStream(handle, device.stream);
  return handle;
}

function layoutOf(qkv: CudaTensor, out: CudaTensor, heads: HeadShape): Layout {
  return { heads, qkvStride: qkv.stride, outStride: out.stride, rows: qkv.rows };
}

function keyOf({ heads: { heads, kvHeads, headDim }, qkvStride, outStride }: Layout): string {
  return [heads, kvHeads, headDim, qkvStride, outStride].join(' ');
}

/** Heads of 64 or 128 elements, texts that share nothing, and offsets that 32 bits hold. */
function fits({ heads, qkvStride, rows }: Layout, segments: readonly Segment[]): boolean {
  const isKnown = heads.headDim === 64 || heads.headDim === 128;
  return isKnown && rows * qkvStride < 2 ** 31 && segments.every(({ parent }) => parent < 0);
}

/** Texts whose gradients of scores, and of keys and values for each query head, fit into the workspace. */
function roomFor(length: number, { heads, headDim }: HeadShape, workspace: number): number {
  const bytes = heads * length * (2 * length + 4 * headDim);
  return Math.min(MOST_TEXTS, 2 ** Math.floor(Math.log2((workspace - MARGIN) / bytes)));
}

function shapeOf({ places, length }: TextGroup, { heads, qkvStride, outStride }: Layout): AttentionShape {
  return { texts: places, length, ...heads, qkvStride, outStride };
}

/** Where the queries, keys and values of the first row begin. */
function headsOf({ pointer }: CudaTensor, shape: HeadShape, ids: { q: number; k: number; v: number }): Addresses {
  const bytes = shape.headDim * 2;
  return [
    [ids.q, pointer],
    [ids.k, pointer + shape.heads * bytes],
    [ids.v, pointer + (shape.heads + shape.kvHeads) * bytes],
  ];
}
