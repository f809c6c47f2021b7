import type { Segment } from '../../data/batch.ts';
import { type AttentionTable, keyTiles, queryTiles } from '../../gpu/attention-plan.ts';
import { Device, type Gpu } from '../../gpu/device.ts';
import type { Memory } from '../../gpu/memory.ts';
import type { HeadShape } from '../backend.ts';
import { type CudnnAttention, openCudnnAttention } from './cudnn-attention.ts';
import type { CudaTensor } from './tensors.ts';

/** Rows of a tile and threads of a block, as in kernels/attention_*.cu. */
const FORWARD = { rows: 128, threads: 128 };
const QUERIES = { rows: 128, keys: 32, threads: 128 };
const KEYS = { rows: 64, queries: 64, threads: 128 };

/** Rows of texts from which on cuDNN is faster, by elements of a head (measured on an H200). */
const LONG: Readonly<Record<number, number>> = { 64: 1024, 128: 192 };

/** A table on the GPU. */
interface DeviceTable {
  works: number;
  ranges: number;
  tiles: number;
  pieces: { pointer: number; bytes: number }[];
}

/** Tables of one pack: all layers use the same. */
interface Plan {
  forward: DeviceTable;
  queries: DeviceTable;
  keys: DeviceTable;
}

/** Attention by cuDNN where it is found and takes the pack, else by our own kernels. */
export class Attention {
  readonly #device: Gpu;
  readonly #pool: Memory;
  readonly #passes: Memory;
  readonly #cudnn: CudnnAttention | null;
  #segments: readonly Segment[] | null = null;
  #plan: Plan | null = null;

  /** @param pool for what outlives a pass @param passes for what does not */
  constructor(device: Gpu, pool: Memory, passes: Memory) {
    this.#device = device;
    this.#pool = pool;
    this.#passes = passes;
    this.#cudnn = device instanceof Device ? openCudnnAttention(device, pool) : null;
  }

  /** For people: "cuDNN 9.19", "own kernels". */
  get name(): string {
    return this.#cudnn?.name ?? 'own kernels';
  }
  /** Bytes of the GPU that are held beside what the pools give. */
  get workspace(): number {
    return this.#cudnn?.workspace ?? 0;
  }

  close(): void {
    this.#cudnn?.close();
  }

  forward(out: CudaTensor, logSum: CudaTensor, qkv: CudaTensor, shape: HeadShape, segments: readonly Segment[]): void {
    const cudnn = isLong(segments, shape) ? this.#cudnn : null;
    if (cudnn?.forward(out, logSum, qkv, shape, segments)) return;
    const { heads, kvHeads, headDim } = shape;
    const { works, ranges, tiles } = this.#planOf(segments).forward;
    const { name, width, keys } = variant(headDim);
    const grid = { x: tiles, y: heads, threads: FORWARD.threads, shared: (FORWARD.rows + 4 * keys) * width * 2 };
    const scale = 1 / Math.sqrt(headDim);
    const settings = [heads, kvHeads, headDim, scale, works, ranges] as const;
    this.#device.launch(
      `attention_forward_${name}`,
      grid,
      out.pointer,
      out.stride,
      logSum.pointer,
      qkv.pointer,
      qkv.stride,
      ...settings,
    );
  }

  backward(
    dQkv: CudaTensor,
    dOut: CudaTensor,
    out: CudaTensor,
    logSum: CudaTensor,
    qkv: CudaTensor,
    shape: HeadShape,
    segments: readonly Segment[],
  ): void {
    const bytes = out.rows * shape.heads * 4;
    const dots = this.#passes.take(bytes);
    const cudnn = isLong(segments, shape) ? this.#cudnn : null;
    if (!cudnn?.backward(dQkv, dOut, out, logSum, qkv, shape, segments, dots))
      this.#ownBackward(dQkv, dOut, out, logSum, qkv, shape, segments, dots);
    this.#passes.give(dots, bytes);
  }

  #ownBackward(
    dQkv: CudaTensor,
    dOut: CudaTensor,
    out: CudaTensor,
    logSum: CudaTensor,
    qkv: CudaTensor,
    { heads, kvHeads, headDim }: HeadShape,
    segments: readonly Segment[],
    dots: number,
  ): void {
    const { queries, keys } = this.#planOf(segments);
    const rows = out.rows;
    const warps = { x: Math.ceil((rows * heads) / 8), threads: 256 };
    const outs = [dOut.pointer, dOut.stride, out.pointer, out.stride] as const;
    this.#device.launch('attention_row_dots', warps, dots, ...outs, rows, heads, headDim);
    const { name: heading, width } = variant(headDim);
    const inputs = [
      dQkv.pointer,
      dQkv.stride,
      dOut.pointer,
      dOut.stride,
      logSum.pointer,
      dots,
      qkv.pointer,
      qkv.stride,
    ] as const;
    const settings = [heads, kvHeads, headDim, 1 / Math.sqrt(headDim)] as const;
    // Tiles of what is walked over have two buffers; sums of rows are float32.
    const grids = {
      keys: {
        x: keys.tiles,
        y: kvHeads,
        threads: KEYS.threads,
        shared: 6 * KEYS.rows * width * 2 + 4 * KEYS.queries * 4,
      },
      queries: {
        x: queries.tiles,
        y: heads,
        threads: QUERIES.threads,
        shared: (2 * QUERIES.rows + 4 * QUERIES.keys) * width * 2 + 2 * QUERIES.rows * 4,
      },
    };
    for (const [name, { works, ranges }] of [
      ['keys', keys],
      ['queries', queries],
    ] as const)
      this.#device.launch(`attention_backward_${name}_${heading}`, grids[name], ...inputs, ...settings, works, ranges);
  }

  #planOf(segments: readonly Segment[]): Plan {
    if (this.#plan !== null && this.#segments === segments) return this.#plan;
    if (this.#plan !== null)
      for (const table of Object.values(this.#plan) as DeviceTable[])
        for (const { pointer, bytes } of table.pieces) this.#pool.give(pointer, bytes);
    const plan = {
      forward: this.#upload(queryTiles(segments, FORWARD.rows)),
      queries: this.#upload(queryTiles(segments, QUERIES.rows)),
      keys: this.#upload(keyTiles(segments, KEYS.rows)),
    };
    this.#plan = plan;
    this.#segments = segments;
    return plan;
  }

  #upload({ works, ranges, tiles }: AttentionTable): DeviceTable {
    const pieces = [works, ranges].map((values) => {
      const bytes = values.byteLength;
      const pointer = this.#pool.take(bytes);
      this.#device.upload(pointer, values);
      return { pointer, bytes };
    });
    return { works: pieces[0]?.pointer ?? 0, ranges: pieces[1]?.pointer ?? 0, tiles, pieces };
  }
}

/** Whether the text of a row is, on average, long enough for cuDNN. */
function isLong(segments: readonly Segment[], { headDim }: HeadShape): boolean {
  let [rows, squares] = [0, 0];
  for (const { length } of segments) {
    rows += length;
    squares += length ** 2;
  }
  return squares >= (LONG[headDim] ?? Number.POSITIVE_INFINITY) * rows;
}

/** The kernels for heads of this many elements: the width of their tiles, and the keys of a tile of the forward pass. */
function variant(headDim: number): { name: string; width: number; keys: number } {
  if (headDim === 128) return { name: '128', width: 128, keys: 32 };
  if (headDim === 64) return { name: '64', width: 64, keys: 64 };
  if (headDim < 64 && headDim % 8 === 0) return { name: 'narrow', width: 64, keys: 64 };
  throw new RangeError(`no attention kernel for heads of ${headDim} elements`);
}
