import type { Segment } from '../../data/batch.ts';
import { type AttentionTable, keyTiles, queryTiles } from '../../gpu/attention-plan.ts';
import type { Device } from '../../gpu/device.ts';
import type { MemoryPool } from '../../gpu/pool.ts';
import type { HeadShape } from '../backend.ts';
import type { CudaTensor } from './tensors.ts';

/** Rows of a tile and threads of a block, as in kernels/attention_*.cu. */
const FORWARD = { rows: 128, threads: 256 };
const BACKWARD = { rows: 64, threads: 128 };

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

/** Our own attention kernels. */
export class Attention {
  readonly #device: Device;
  readonly #pool: MemoryPool;
  #segments: readonly Segment[] | null = null;
  #plan: Plan | null = null;

  constructor(device: Device, pool: MemoryPool) {
    this.#device = device;
    this.#pool = pool;
  }

  forward(out: CudaTensor, logSum: CudaTensor, qkv: CudaTensor, shape: HeadShape, segments: readonly Segment[]): void {
    const { heads, kvHeads, headDim } = shape;
    const { works, ranges, tiles } = this.#planOf(segments).forward;
    const { name, width } = variant(headDim);
    const grid = { x: tiles, y: heads, threads: FORWARD.threads, shared: 4 * 64 * width * 2 };
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
    { heads, kvHeads, headDim }: HeadShape,
    segments: readonly Segment[],
  ): void {
    const { queries, keys } = this.#planOf(segments);
    const rows = out.rows;
    const bytes = rows * heads * 4;
    const dots = this.#pool.take(bytes);
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
    const shared = 6 * 64 * width * 2;
    for (const [name, table, y, more] of [
      ['keys', keys, kvHeads, 4 * 64 * 4],
      ['queries', queries, heads, 0],
    ] as const) {
      const grid = { x: table.tiles, y, threads: BACKWARD.threads, shared: shared + more };
      this.#device.launch(
        `attention_backward_${name}_${heading}`,
        grid,
        ...inputs,
        ...settings,
        table.works,
        table.ranges,
      );
    }
    this.#pool.give(dots, bytes);
  }

  #planOf(segments: readonly Segment[]): Plan {
    if (this.#plan !== null && this.#segments === segments) return this.#plan;
    if (this.#plan !== null)
      for (const table of Object.values(this.#plan) as DeviceTable[])
        for (const { pointer, bytes } of table.pieces) this.#pool.give(pointer, bytes);
    const plan = {
      forward: this.#upload(queryTiles(segments, FORWARD.rows)),
      queries: this.#upload(queryTiles(segments, BACKWARD.rows)),
      keys: this.#upload(keyTiles(segments, BACKWARD.rows)),
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

/** The kernels for heads of this many elements, and the width of their tiles. */
function variant(headDim: number): { name: string; width: number } {
  if (headDim === 64 || headDim === 128) return { name: String(headDim), width: headDim };
  if (headDim < 64 && headDim % 8 === 0) return { name: 'narrow', width: 64 };
  throw new RangeError(`no attention kernel for heads of ${headDim} elements`);
}
