import type { Segment } from '../../../data/batch.ts';
import type { HeadShape } from '../../backend.ts';
import type { Floats, Matrix } from '../matrix.ts';

/** Query rows whose scores are held at once. */
const QUERY_BLOCK = 64;

/** Query rows of one segment: a unit of attention together with a head. */
export interface QueryBlock {
  segment: number;
  /** First row, counted from the segment's start. */
  first: number;
  rows: number;
}

/** Consecutive rows of the pack that a query block may attend to. */
export interface KeyRange {
  start: number;
  length: number;
}

export function queryBlocks(segments: readonly Segment[], ofSegments: readonly number[]): QueryBlock[] {
  const blocks: QueryBlock[] = [];
  for (const segment of ofSegments) {
    const length = segments[segment]?.length ?? 0;
    for (let first = 0; first < length; first += QUERY_BLOCK)
      blocks.push({ segment, first, rows: Math.min(QUERY_BLOCK, length - first) });
  }
  return blocks;
}

/** What a block attends to in the order of the text: its segment's ancestors whole, then its own segment to its last row. */
export function keyRanges(segments: readonly Segment[], block: QueryBlock): KeyRange[] {
  const ranges: KeyRange[] = [];
  let segment = segments[block.segment];
  if (segment) ranges.push({ start: segment.start, length: block.first + block.rows });
  for (segment = segments[segment?.parent ?? -1]; segment; segment = segments[segment.parent])
    ranges.push({ start: segment.start, length: segment.length });
  return ranges.filter(({ length }) => length > 0).reverse();
}

/** Segments that hang together by their parents, as indices in the order of the pack. */
export function segmentTrees(segments: readonly Segment[]): number[][] {
  const trees = new Map<number, number[]>();
  segments.forEach(({ parent }, index) => {
    let root = index;
    for (let up = parent; up >= 0; up = segments[up]?.parent ?? -1) root = up;
    const members = trees.get(root);
    if (members) members.push(index);
    else trees.set(root, [index]);
  });
  return [...trees.values()];
}

/** Columns of a row of q, k and v. */
export function rowWidth({ heads, kvHeads, headDim }: HeadShape): number {
  return (heads + 2 * kvHeads) * headDim;
}

/** One head of consecutive rows of q, k and v. `kind` of keys and values is for the group that the query head belongs to. */
export function headOf(
  qkv: Floats,
  shape: HeadShape,
  kind: 'q' | 'k' | 'v',
  head: number,
  start: number,
  rows: number,
): Matrix {
  const group = Math.floor((head * shape.kvHeads) / shape.heads);
  const place = { q: head, k: shape.heads + group, v: shape.heads + shape.kvHeads + group }[kind];
  const stride = rowWidth(shape);
  return { data: qkv, rows, cols: shape.headDim, offset: start * stride + place * shape.headDim, stride };
}

/** One head of consecutive rows of [T, heads * headDim]. */
export function outOf(out: Floats, { heads, headDim }: HeadShape, head: number, start: number, rows: number): Matrix {
  const stride = heads * headDim;
  return { data: out, rows, cols: headDim, offset: start * stride + head * headDim, stride };
}
