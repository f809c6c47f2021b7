import type { Segment } from '../../data/batch.ts';
import type { HeadShape } from '../backend.ts';
import { queryBlocks, segmentTrees } from './kernels/attention-plan.ts';
import type { Floats } from './matrix.ts';
import type { Threads } from './threads.ts';

/**
 * Causal grouped-query attention within segments and their ancestors. What a segment gets does not depend on what else is
 * in the pack, nor on the number of threads, bit for bit.
 * @param out [T, heads * headDim] @param logSum [T, heads] @param qkv [T, (heads + 2 kvHeads) * headDim]
 */
export function attention(
  threads: Threads,
  out: Floats,
  logSum: Floats,
  qkv: Floats,
  shape: HeadShape,
  segments: readonly Segment[],
): void {
  const blocks = queryBlocks(segments, [...segments.keys()]);
  threads.run('attention', blocks.length * shape.heads, { out, logSum, qkv, shape, segments, blocks });
}

/** dQkv = the gradient by `qkv`, of the rows that are in a segment. */
export function attentionBackward(
  threads: Threads,
  dQkv: Floats,
  dOut: Floats,
  out: Floats,
  logSum: Floats,
  qkv: Floats,
  shape: HeadShape,
  segments: readonly Segment[],
): void {
  const rows = segments.reduce((end, { start, length }) => Math.max(end, start + length), 0);
  const trees = segmentTrees(segments);
  const length = rows * shape.heads * 2 * shape.headDim;
  const partial = threads.scratch('attention partial', length, qkv instanceof Float64Array);
  const args = { dQkv, dOut, out, logSum, qkv, shape, segments, trees, partial };
  threads.run('attentionBackward', trees.length * shape.heads, args);
  threads.run('attentionGather', rows, { dQkv, partial, shape }, 32);
}
