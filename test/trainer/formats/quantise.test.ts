import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import koffi from 'koffi';
import { dequantise } from '../../../python-free-trainer/src/io/dequant.ts';
import { f16ToFloat } from '../../../python-free-trainer/src/io/dequant-floats.ts';
import { halfBits } from '../../../python-free-trainer/src/io/half.ts';
import { toF16, toQ8_0 } from '../../../python-free-trainer/src/io/quantise.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';

const LIBRARY = fileURLToPath(
  new URL('../../../node_modules/@node-llama-cpp/linux-x64/bins/linux-x64/libggml-base.so', import.meta.url),
);

/** ggml's own functions, out of the library that node-llama-cpp brings. */
function ggml() {
  const library = koffi.load(LIBRARY);
  return {
    quantise: library.func('void quantize_row_q8_0_ref(const float *x, _Out_ uint8_t *y, int64_t k)'),
    halves: library.func('void ggml_fp32_to_fp16_row(const float *x, _Out_ uint16_t *y, int64_t n)'),
  };
}

/** The numbers of all patterns of half precision. */
function halfNumbers(): Float32Array {
  const numbers = new Float32Array(0x1_0000);
  f16ToFloat(Uint16Array.from(numbers.keys()), numbers);
  return numbers;
}

/** Rows of all magnitudes, with exact halves, zeros and numbers that are too small. */
function manyRows(count: number): Float32Array {
  const random = new Random(7);
  const values = new Float32Array(count * 32);
  for (let row = 0; row < count; row++) {
    const magnitude = 2 ** (random.below(60) - 45);
    for (let i = 0; i < 32; i++) {
      const uniform = (2 * random.uint32()) / 0x1_0000_0000 - 1;
      const halves = (random.below(509) - 254) / 2;
      values[row * 32 + i] = row % 3 === 0 ? halves * magnitude : row % 50 === 1 ? 0 : uniform * magnitude;
    }
    if (row % 3 === 0) values[row * 32] = 127 * magnitude;
  }
  return values;
}

describe('writing numbers in fewer bits', () => {
  it('writes each number of half precision as itself, and every midpoint to the even one', () => {
    const numbers = halfNumbers();
    for (let bits = 0; bits < 0x7c00; bits++) {
      const value = numbers[bits] ?? 0;
      assert.equal(halfBits(value), bits);
      assert.equal(halfBits(-value), bits | 0x8000);
      if (bits === 0x7bff) continue;
      const middle = (value + (numbers[bits + 1] ?? 0)) / 2;
      assert.equal(halfBits(middle), bits % 2 === 0 ? bits : bits + 1);
    }
    for (const [value, bits] of [
      [65519.996, 0x7bff],
      [65520, 0x7c00],
      [Number.POSITIVE_INFINITY, 0x7c00],
      [Number.NaN, 0x7e00],
      [2 ** -25, 0],
      [2 ** -25 * 1.001, 1],
    ] as const)
      assert.equal(halfBits(value), bits, String(value));
  });

  it('rounds to half precision and to Q8_0 as ggml does, bit for bit', function () {
    if (!existsSync(LIBRARY)) this.skip();
    const values = manyRows(20_000);
    const { quantise, halves } = ggml();
    const blocks = new Uint8Array((values.length / 32) * 34);
    quantise(values, blocks, values.length);
    assert.ok(Buffer.from(toQ8_0(values)).equals(blocks));
    const halfWords = new Uint16Array(values.length);
    halves(values, halfWords, values.length);
    assert.ok(Buffer.from(toF16(values)).equals(Buffer.from(halfWords.buffer)));
  });

  it('gives back the blocks that it is given the numbers of', () => {
    const random = new Random(8);
    const blocks = toQ8_0(Float32Array.from({ length: 500 * 32 }, () => random.below(10_001) / 5000 - 1));
    const numbers = new Float32Array(500 * 32);
    dequantise('Q8_0', blocks, numbers);
    assert.ok(Buffer.from(toQ8_0(numbers)).equals(blocks));
  });
});
