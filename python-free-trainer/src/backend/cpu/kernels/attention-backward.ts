import type { Segment } from '../../../data/batch.ts';
import type { HeadShape } from '../../backend.ts';
import { type Floats, type Matrix, part } from '../matrix.ts';
import type { Workspace } from '../workspace.ts';
import { overRanges, scoresOf } from './attention.ts';
import { headOf, type KeyRange, keyRanges, outOf, type QueryBlock, queryBlocks, rowWidth } from './attention-plan.ts';
import type { Kernel } from './kernel.ts';

export interface AttentionBackwardArgs {
  dQkv: Floats;
  dOut: Floats;
  out: Floats;
  logSum: Floats;
  qkv: Floats;
  shape: HeadShape;
  segments: readonly Segment[];
  trees: readonly (readonly number[])[];
  /** Gradients of keys and values by query head, [T, heads, 2, headDim]. */
  partial: Floats;
}

/**
 * dQ, and dK and dV of each query head apart. A unit is a tree of segments and a head: nothing else adds to its rows, so
 * the order of every sum is that of the segments. The probabilities are made again from the scores and their log-sum.
 */
export const attentionBackwardKernel: Kernel<AttentionBackwardArgs> = (from, to, args, workspace) => {
  const { heads } = args.shape;
  for (let unit = from; unit < to; unit++) {
    const tree = args.trees[Math.floor(unit / heads)] ?? [];
    const head = unit % heads;
    for (const index of tree) clear(args, args.segments[index], head);
    for (const block of queryBlocks(args.segments, tree)) backOfBlock(args, block, head, workspace);
  }
};

function clear(
  { partial, shape: { heads, headDim } }: AttentionBackwardArgs,
  segment: Segment | undefined,
  head: number,
) {
  if (!segment) return;
  for (let row = segment.start; row < segment.start + segment.length; row++)
    partial.fill(0, (row * heads + head) * 2 * headDim, (row * heads + head + 1) * 2 * headDim);
}

function backOfBlock(args: AttentionBackwardArgs, block: QueryBlock, head: number, workspace: Workspace): void {
  const { dQkv, dOut, qkv, shape, segments } = args;
  const start = (segments[block.segment]?.start ?? 0) + block.first;
  const ranges = keyRanges(segments, block);
  const probabilities = scoresOf(qkv, shape, head, start, block.rows, ranges, workspace);
  const dOutput = outOf(dOut, shape, head, start, block.rows);
  const dScores = backOfValues(args, probabilities, dOutput, head, ranges, workspace);
  softmaxBackward(args, probabilities, dScores, dOutput, start, head);
  const queries = headOf(qkv, shape, 'q', head, start, block.rows);
  const dQueries = headOf(dQkv, shape, 'q', head, start, block.rows);
  overRanges(ranges, (range, col) => {
    const keys = headOf(qkv, shape, 'k', head, range.start, range.length);
    const ofRange = part(dScores, 0, block.rows, col, range.length);
    workspace.multiply(dQueries, ofRange, keys, { accumulate: col > 0 });
    const add = { transposeA: true, accumulate: true };
    workspace.multiply(partialOf(args, head, range, 'k'), ofRange, queries, add);
    const weights = part(probabilities, 0, block.rows, col, range.length);
    workspace.multiply(partialOf(args, head, range, 'v'), weights, dOutput, add);
  });
}

/** dOut vᵀ, the gradient of the probabilities, [rows, keys]. */
function backOfValues(
  { qkv, shape }: AttentionBackwardArgs,
  { rows, cols }: Matrix,
  dOutput: Matrix,
  head: number,
  ranges: readonly KeyRange[],
  workspace: Workspace,
): Matrix {
  const result = { data: workspace.scratch('dScores', rows * cols, qkv instanceof Float64Array), rows, cols };
  overRanges(ranges, (range, col) => {
    const values = headOf(qkv, shape, 'v', head, range.start, range.length);
    workspace.multiply(part(result, 0, rows, col, range.length), dOutput, values, { transposeB: true });
  });
  return result;
}

/** Scores become probabilities p; their gradients g become p (g - dOut · out) / sqrt(headDim); both 0 for hidden keys. */
function softmaxBackward(
  { out, logSum, shape }: AttentionBackwardArgs,
  { data: scores, rows, cols }: Matrix,
  { data: gradients }: Matrix,
  dOutput: Matrix,
  start: number,
  head: number,
): void {
  const scale = 1 / Math.sqrt(shape.headDim);
  const { offset = 0, stride = 0 } = dOutput;
  for (let row = 0; row < rows; row++) {
    const sum = logSum[(start + row) * shape.heads + head] as number;
    const common = dot(dOutput.data, out, offset + row * stride, shape.headDim);
    const end = row * cols + cols - rows + row + 1;
    for (let i = row * cols; i < end; i++) {
      const probability = Math.exp((scores[i] as number) - sum);
      scores[i] = probability;
      gradients[i] = probability * ((gradients[i] as number) - common) * scale;
    }
    scores.fill(0, end, (row + 1) * cols);
    gradients.fill(0, end, (row + 1) * cols);
  }
}

function dot(a: Floats, b: Floats, at: number, length: number): number {
  let sum = 0;
  for (let i = at; i < at + length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

function partialOf({ partial, shape }: AttentionBackwardArgs, head: number, range: KeyRange, kind: 'k' | 'v'): Matrix {
  const { heads, headDim } = shape;
  const stride = heads * 2 * headDim;
  const offset = range.start * stride + (head * 2 + (kind === 'v' ? 1 : 0)) * headDim;
  return { data: partial, rows: range.length, cols: headDim, offset, stride };
}

export interface GatherArgs {
  dQkv: Floats;
  partial: Floats;
  shape: HeadShape;
}

/** dK and dV of a key-value head: the sum over its query heads in order. A unit is a row. */
export const attentionGatherKernel: Kernel<GatherArgs> = (from, to, { dQkv, partial, shape }) => {
  const { heads, kvHeads, headDim } = shape;
  const group = heads / kvHeads;
  for (let row = from; row < to; row++)
    for (let kv = 0; kv < kvHeads; kv++)
      for (let i = 0; i < 2 * headDim; i++) {
        let sum = 0;
        for (let head = kv * group; head < (kv + 1) * group; head++)
          sum += partial[(row * heads + head) * 2 * headDim + i] as number;
        const place = i < headDim ? heads + kv : heads + kvHeads + kv - 1;
        dQkv[row * rowWidth(shape) + place * headDim + i] = sum;
      }
};
