import assert from 'node:assert/strict';
import type { HeadShape } from '../../../python-free-trainer/src/backend/backend.ts';
import { attention, attentionBackward } from '../../../python-free-trainer/src/backend/cpu/attention.ts';
import type { Floats } from '../../../python-free-trainer/src/backend/cpu/matrix.ts';
import { Threads } from '../../../python-free-trainer/src/backend/cpu/threads.ts';
import type { Segment } from '../../../python-free-trainer/src/data/batch.ts';
import { largestDifference, randomFloats, sharedCopy } from './random-floats.ts';

const SHAPE: HeadShape = { heads: 6, kvHeads: 2, headDim: 8 };
const WIDTH = (SHAPE.heads + 2 * SHAPE.kvHeads) * SHAPE.headDim;

/** A shared beginning of a beginning, two children, lone rows, a stranger before and one that is longer than a block. */
const SEGMENTS: Segment[] = [
  { start: 0, length: 5, parent: -1 },
  { start: 5, length: 70, parent: -1 },
  { start: 75, length: 3, parent: 1 },
  { start: 78, length: 67, parent: 2 },
  { start: 145, length: 1, parent: 2 },
  { start: 146, length: 1, parent: -1 },
  { start: 147, length: 0, parent: -1 },
  { start: 147, length: 130, parent: -1 },
];
const ROWS = 277;

interface Pass {
  out: Floats;
  logSum: Floats;
  dQkv: Floats;
}

function pass(threads: Threads, qkv: Floats, dOut: Floats, rows: number, segments: Segment[], shape = SHAPE): Pass {
  const float64 = qkv instanceof Float64Array;
  const out = threads.allocate(rows * shape.heads * shape.headDim, float64);
  const logSum = threads.allocate(rows * shape.heads, float64);
  const dQkv = threads.allocate(qkv.length, float64);
  attention(threads, out, logSum, qkv, shape, segments);
  attentionBackward(threads, dQkv, dOut, out, logSum, qkv, shape, segments);
  return { out, logSum, dQkv };
}

/** Rows that a row may see, itself last. */
function visible(segments: Segment[], row: number): number[] {
  const own = segments.find(({ start, length }) => start <= row && row < start + length);
  assert.ok(own);
  const chain: number[][] = [];
  for (let up = segments[own.parent]; up; up = segments[up.parent])
    chain.unshift(Array.from({ length: up.length }, (_, i) => (up?.start ?? 0) + i));
  return [...chain.flat(), ...Array.from({ length: row - own.start + 1 }, (_, i) => own.start + i)];
}

/** The formula, one row and head after the other. */
function plainAttention(qkv: Floats, rows: number, segments: Segment[], shape: HeadShape): Float64Array {
  const { heads, kvHeads, headDim } = shape;
  const width = (heads + 2 * kvHeads) * headDim;
  const out = new Float64Array(rows * heads * headDim);
  const at = (row: number, place: number, i: number) => qkv[row * width + place * headDim + i] as number;
  for (let row = 0; row < rows; row++)
    for (let head = 0; head < heads; head++) {
      const kv = Math.floor(head / (heads / kvHeads));
      const keys = visible(segments, row);
      const weights = keys.map((key) => {
        let score = 0;
        for (let i = 0; i < headDim; i++) score += at(row, head, i) * at(key, heads + kv, i);
        return Math.exp(score / Math.sqrt(headDim));
      });
      const sum = weights.reduce((a, b) => a + b, 0);
      for (let i = 0; i < headDim; i++)
        out[(row * heads + head) * headDim + i] =
          keys.reduce((total, key, n) => total + (weights[n] as number) * at(key, heads + kvHeads + kv, i), 0) / sum;
    }
  return out;
}

describe('attention on the CPU', () => {
  const qkv = randomFloats(1, ROWS * WIDTH, true);
  const dOut = randomFloats(2, ROWS * SHAPE.heads * SHAPE.headDim, true);
  const one = new Threads(1);

  it('is the formula, over ancestors and the own segment, in double precision', () => {
    const { out } = pass(one, qkv, dOut, ROWS, SEGMENTS);
    assert.ok(largestDifference(out, plainAttention(qkv, ROWS, SEGMENTS, SHAPE)) < 1e-12);
  });

  it('gives gradients that finite differences confirm', () => {
    const segments: Segment[] = [
      { start: 0, length: 3, parent: -1 },
      { start: 3, length: 2, parent: 0 },
      { start: 5, length: 2, parent: 1 },
      { start: 7, length: 1, parent: 1 },
    ];
    const values = qkv.slice(0, 8 * WIDTH) as Float64Array;
    const { dQkv } = pass(one, values, dOut, 8, segments);
    const loss = (input: Float64Array) =>
      plainAttention(input, 8, segments, SHAPE).reduce((sum, value, i) => sum + value * (dOut[i] as number), 0);
    for (let i = 0; i < values.length; i += 3) {
      const moved = (by: number) => loss(values.map((value, j) => (i === j ? value + by : value)));
      const difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
      assert.ok(Math.abs(difference - (dQkv[i] as number)) < 1e-8, `element ${i}: ${difference}, ${dQkv[i]}`);
    }
  });

  it('is within rounding in single precision', () => {
    const exact = pass(one, qkv, dOut, ROWS, SEGMENTS);
    const single = pass(one, Float32Array.from(qkv), Float32Array.from(dOut), ROWS, SEGMENTS);
    assert.ok(largestDifference(single.out, exact.out) < 2e-6);
    assert.ok(largestDifference(single.logSum, exact.logSum) < 2e-6);
    assert.ok(largestDifference(single.dQkv, exact.dQkv) < 2e-5);
  });

  it('has the same bits with one, two and three threads', async () => {
    for (const float64 of [false, true]) {
      const expected = pass(one, sharedCopy(one, qkv, float64), sharedCopy(one, dOut, float64), ROWS, SEGMENTS);
      for (const count of [2, 3]) {
        const threads = new Threads(count);
        const found = pass(
          threads,
          sharedCopy(threads, qkv, float64),
          sharedCopy(threads, dOut, float64),
          ROWS,
          SEGMENTS,
        );
        assert.deepEqual([...found.out], [...expected.out]);
        assert.deepEqual([...found.dQkv], [...expected.dQkv]);
        await threads.close();
      }
    }
  });

  it('gives a sequence the same bits alone and between others, whatever their values', () => {
    const length = 130;
    const start = 147;
    const alone = pass(
      one,
      Float32Array.from(qkv.subarray(start * WIDTH)),
      Float32Array.from(dOut.subarray(start * SHAPE.heads * SHAPE.headDim)),
      length,
      [{ start: 0, length, parent: -1 }],
    );
    const neighbours = Float32Array.from(qkv);
    neighbours.fill(Number.NaN, 0, 5 * WIDTH);
    const packed = pass(one, neighbours, Float32Array.from(dOut), ROWS, SEGMENTS);
    assert.deepEqual([...packed.out.subarray(start * SHAPE.heads * SHAPE.headDim)], [...alone.out]);
    assert.deepEqual([...packed.dQkv.subarray(start * WIDTH)], [...alone.dQkv]);
  });

  it('stays finite where scores are far beyond what an exponential can hold', () => {
    const large = Float32Array.from(qkv, (value) => value * 100);
    const { out, dQkv } = pass(one, large, Float32Array.from(dOut), ROWS, SEGMENTS);
    assert.ok(out.every(Number.isFinite) && dQkv.every(Number.isFinite));
  });
});
