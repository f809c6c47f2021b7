import assert from 'node:assert/strict';
import { gemm } from '../../../python-free-trainer/src/backend/cpu/gemm.ts';
import type { GemmOptions, Matrix } from '../../../python-free-trainer/src/backend/cpu/matrix.ts';
import { TypedMultiplier } from '../../../python-free-trainer/src/backend/cpu/multiply-typed.ts';
import { VectorMultiplier } from '../../../python-free-trainer/src/backend/cpu/simd/vector-multiplier.ts';
import { Threads } from '../../../python-free-trainer/src/backend/cpu/threads.ts';
import { largestDifference, randomFloats, sharedCopy } from './random-floats.ts';

interface Case {
  rows: number;
  inner: number;
  cols: number;
  options: GemmOptions;
  float64: boolean;
  /** Elements before each matrix, and between the end of a row and the next. */
  gap: number;
}

function matrix(seed: number, rows: number, cols: number, { float64, gap }: Case): Matrix {
  const stride = cols + gap;
  return { data: randomFloats(seed, gap + rows * stride, float64), rows, cols, offset: gap, stride };
}

function operands(seed: number, of: Case): { a: Matrix; b: Matrix; c: Matrix } {
  const { rows, inner, cols, options } = of;
  return {
    a: options.transposeA ? matrix(seed, inner, rows, of) : matrix(seed, rows, inner, of),
    b: options.transposeB ? matrix(seed + 1, cols, inner, of) : matrix(seed + 1, inner, cols, of),
    c: matrix(seed + 2, rows, cols, of),
  };
}

const at = ({ data, cols, offset = 0, stride = cols }: Matrix, row: number, col: number) =>
  data[offset + row * stride + col] as number;

/** What c should hold after: the definition, in double precision. */
function expected({ a, b, c }: ReturnType<typeof operands>, { inner, options }: Case): Float64Array {
  const result = Float64Array.from(c.data);
  const { offset = 0, stride = c.cols } = c;
  for (let i = 0; i < c.rows; i++)
    for (let j = 0; j < c.cols; j++) {
      let sum = 0;
      for (let k = 0; k < inner; k++)
        sum += (options.transposeA ? at(a, k, i) : at(a, i, k)) * (options.transposeB ? at(b, j, k) : at(b, k, j));
      result[offset + i * stride + j] = (options.accumulate ? at(c, i, j) : 0) + (options.alpha ?? 1) * sum;
    }
  return result;
}

/** Shapes at the edges of tiles and blocks, crossed with options that the index picks. */
function cases(): Case[] {
  const sides = [1, 2, 3, 4, 5, 7, 8, 9, 13, 31, 64, 257, 521];
  const list: Case[] = [];
  for (let n = 0; n < 180; n++) {
    const side = (salt: number) => sides[(n * salt + Math.floor(n / 13)) % sides.length] as number;
    const options: GemmOptions = { transposeA: n % 2 === 1, transposeB: (n >> 1) % 2 === 1, accumulate: n % 3 === 1 };
    if (n % 5 === 2) options.alpha = -0.375;
    list.push({ rows: side(1), inner: side(5), cols: side(11), options, float64: n % 4 > 1, gap: n % 7 });
  }
  return list;
}

describe('matrix product on the CPU', () => {
  const one = new Threads(1);
  const vector = VectorMultiplier.create();
  const apart = VectorMultiplier.create(false);
  assert.ok(vector && apart, 'this engine has no WebAssembly vectors');
  const forms: Record<string, (c: Matrix, a: Matrix, b: Matrix, options: GemmOptions) => void> = {
    'with vectors': (c, a, b, options) => vector.multiply(c, a, b, options),
    'with vectors, product and sum apart': (c, a, b, options) => apart.multiply(c, a, b, options),
    'in plain JavaScript': (c, a, b, options) => new TypedMultiplier().multiply(c, a, b, options),
    'as the backend calls it': (c, a, b, options) => gemm(one, c, a, b, options),
  };

  for (const [name, multiply] of Object.entries(forms))
    it(`${name}: equals the definition for any shape, layout and option, and touches nothing between rows`, () => {
      for (const [n, of] of cases().entries()) {
        const { a, b, c } = operands(n, of);
        const wanted = expected({ a, b, c }, of);
        multiply(c, a, b, of.options);
        const tolerance = (of.float64 ? 1e-15 : 5e-7) * (of.inner + 1);
        const difference = largestDifference(c.data, wanted);
        assert.ok(difference <= tolerance, `${JSON.stringify(of)} is off by ${difference}`);
      }
    });

  it('of single precision keeps to the double one within three millionths over a long inner dimension', () => {
    const of: Case = { rows: 5, inner: 20_000, cols: 9, options: {}, float64: false, gap: 0 };
    const { a, b, c } = operands(7, of);
    const wanted = expected({ a, b, c }, of);
    gemm(one, c, a, b);
    const size = Math.sqrt(wanted.reduce((sum, value) => sum + value * value, 0) / wanted.length);
    const difference = largestDifference(c.data, wanted) / size;
    assert.ok(difference < 3e-6, `off by ${difference}`);
  });

  it('writes zeros for an empty inner dimension, nothing when accumulating, nothing for an empty result', () => {
    const empty = (rows: number, cols: number): Matrix => ({ data: new Float32Array(0), rows, cols });
    const c: Matrix = { data: Float32Array.of(1, 2, 3, 4), rows: 2, cols: 2 };
    gemm(one, c, empty(2, 0), empty(0, 2), { accumulate: true });
    assert.deepEqual([...c.data], [1, 2, 3, 4]);
    gemm(one, c, empty(2, 0), empty(0, 2));
    assert.deepEqual([...c.data], [0, 0, 0, 0]);
    gemm(one, empty(0, 2), empty(0, 2), c);
  });

  it('carries NaN and infinities to the rows and columns that hold them and to no others', () => {
    for (const multiply of Object.values(forms)) {
      const of: Case = { rows: 6, inner: 11, cols: 10, options: { transposeB: true }, float64: false, gap: 0 };
      const { a, b, c } = operands(3, of);
      a.data[2 * 11 + 3] = Number.NaN;
      b.data[9 * 11 + 10] = Number.POSITIVE_INFINITY;
      multiply(c, a, b, of.options);
      for (let i = 0; i < 6; i++)
        for (let j = 0; j < 10; j++) {
          const value = at(c, i, j);
          if (i === 2) assert.ok(Number.isNaN(value));
          else assert.equal(Math.abs(value) === Number.POSITIVE_INFINITY, j === 9);
        }
    }
  });

  it('gives a row the same bits however many rows there are and wherever it stands', () => {
    for (const float64 of [false, true]) {
      const of: Case = { rows: 601, inner: 300, cols: 37, options: { transposeB: true }, float64, gap: 0 };
      const { a, b, c } = operands(5, of);
      gemm(one, c, a, b, of.options);
      for (const [first, count] of [
        [0, 1],
        [333, 1],
        [511, 3],
        [7, 530],
      ] as const) {
        const some: Matrix = { data: new Float64Array(count * 37), rows: count, cols: 37 };
        const into = float64 ? some : { ...some, data: new Float32Array(count * 37) };
        gemm(one, into, { ...a, rows: count, offset: first * 300 }, b, of.options);
        assert.deepEqual([...into.data], [...c.data.subarray(first * 37, (first + count) * 37)]);
      }
    }
  });

  it('gives the same bits with one, two and three threads', async () => {
    const shapes: Case[] = [
      { rows: 350, inner: 300, cols: 270, options: { transposeB: true }, float64: false, gap: 0 },
      { rows: 900, inner: 64, cols: 16, options: { accumulate: true }, float64: false, gap: 0 },
      { rows: 130, inner: 513, cols: 200, options: { transposeA: true, alpha: 0.5 }, float64: true, gap: 3 },
    ];
    for (const count of [2, 3]) {
      const threads = new Threads(count);
      for (const of of shapes) {
        const { a, b, c } = operands(11, of);
        const shared = [c, a, b].map((m) => ({ ...m, data: sharedCopy(threads, m.data) })) as [Matrix, Matrix, Matrix];
        gemm(one, c, a, b, of.options);
        gemm(threads, ...shared, of.options);
        assert.deepEqual([...shared[0].data], [...c.data]);
      }
      await threads.close();
    }
  });

  it('gives the same bits when it has become hot', () => {
    const of: Case = { rows: 64, inner: 256, cols: 64, options: {}, float64: false, gap: 0 };
    const fresh = VectorMultiplier.create();
    const { a, b, c } = operands(13, of);
    fresh?.multiply(c, a, b, {});
    const first = c.data.slice();
    for (let i = 0; i < 400; i++) fresh?.multiply(c, a, b, {});
    assert.deepEqual([...c.data], [...first]);
  });

  it('refuses shapes that do not fit and matrices that leave their array', () => {
    const of = (rows: number, cols: number, length = rows * cols): Matrix => ({
      data: new Float32Array(length),
      rows,
      cols,
    });
    assert.throws(() => gemm(one, of(2, 3), of(2, 4), of(5, 3)), RangeError);
    assert.throws(() => gemm(one, of(2, 3), of(2, 4), of(4, 3), { transposeA: true }), RangeError);
    assert.throws(() => gemm(one, of(2, 3), of(2, 4, 7), of(4, 3)), RangeError);
    assert.throws(() => gemm(one, of(2, 3), { ...of(2, 4), stride: 3 }, of(4, 3)), RangeError);
  });
});
