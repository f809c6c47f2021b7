import type { Segment } from '../../../data/batch.ts';
import type { HeadShape } from '../../backend.ts';
import { type Floats, type Matrix, part } from '../matrix.ts';
import type { Workspace } from '../workspace.ts';
import { headOf, type KeyRange, keyRanges, outOf, type QueryBlock } from './attention-plan.ts';
import type { Kernel } from './kernel.ts';

export interface AttentionArgs {
  out: Floats;
  logSum: Floats;
  qkv: Floats;
  shape: HeadShape;
  segments: readonly Segment[];
  blocks: readonly QueryBlock[];
}

/** softmax(q kᵀ / sqrt(headDim)) v. A unit is a block of query rows of one head. */
export const attentionKernel: Kernel<AttentionArgs> = (from, to, args, workspace) => {
  const { shape, segments, blocks } = args;
  for (let unit = from; unit < to; unit++) {
    const block = blocks[Math.floor(unit / shape.heads)];
    if (block) attend(args, block, unit % shape.heads, keyRanges(segments, block), workspace);
  }
};

function attend(args: AttentionArgs, block: QueryBlock, head: number, ranges: KeyRange[], workspace: Workspace): void {
  const { out, logSum, qkv, shape, segments } = args;
  const start = (segments[block.segment]?.start ?? 0) + block.first;
  const scores = scoresOf(qkv, shape, head, start, block.rows, ranges, workspace);
  for (let row = 0; row < block.rows; row++) {
    const visible = scores.cols - block.rows + row + 1;
    logSum[(start + row) * shape.heads + head] = softmaxRow(scores.data, row * scores.cols, visible, scores.cols);
  }
  const result = outOf(out, shape, head, start, block.rows);
  overRanges(ranges, (range, col) => {
    const weights = part(scores, 0, block.rows, col, range.length);
    const values = headOf(qkv, shape, 'v', head, range.start, range.length);
    workspace.multiply(result, weights, values, { accumulate: col > 0 });
  });
}

/** q kᵀ / sqrt(headDim) of all keys in the ranges, [rows, keys], in the thread's own memory. */
export function scoresOf(
  qkv: Floats,
  shape: HeadShape,
  head: number,
  start: number,
  rows: number,
  ranges: readonly KeyRange[],
  workspace: Workspace,
): Matrix {
  const cols = ranges.reduce((sum, { length }) => sum + length, 0);
  const scores = { data: workspace.scratch('scores', rows * cols, qkv instanceof Float64Array), rows, cols };
  const queries = headOf(qkv, shape, 'q', head, start, rows);
  const alpha = 1 / Math.sqrt(shape.headDim);
  overRanges(ranges, (range, col) => {
    const keys = headOf(qkv, shape, 'k', head, range.start, range.length);
    workspace.multiply(part(scores, 0, rows, col, range.length), queries, keys, { transposeB: true, alpha });
  });
  return scores;
}

/** Calls with each range and the column of the scores where it begins. */
export function overRanges(ranges: readonly KeyRange[], call: (range: KeyRange, col: number) => void): void {
  let col = 0;
  for (const range of ranges) {
    call(range, col);
    col += range.length;
  }
}

/** Softmax of the first `visible` of a row's scores in place, zeros after; returns the logarithm of the sum. */
function softmaxRow(scores: Floats, at: number, visible: number, cols: number): number {
  let max = Number.NEGATIVE_INFINITY;
  for (let i = at; i < at + visible; i++) if ((scores[i] as number) > max) max = scores[i] as number;
  let sum = 0;
  for (let i = at; i < at + visible; i++) {
    const value = Math.exp((scores[i] as number) - max);
    scores[i] = value;
    sum += value;
  }
  const scale = 1 / sum;
  for (let i = at; i < at + visible; i++) scores[i] = (scores[i] as number) * scale;
  scores.fill(0, at + visible, at + cols);
  return max + Math.log(sum);
}
