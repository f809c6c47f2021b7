import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { dequantise, KNOWN_TYPES } from '../../../python-free-trainer/src/io/dequant.ts';
import { f16ToFloat, firstNotFinite } from '../../../python-free-trainer/src/io/dequant-floats.ts';
import { halfBits } from '../../../python-free-trainer/src/io/half.ts';
import { readSafetensors } from '../../../python-free-trainer/src/io/safetensors.ts';

const golden = fileURLToPath(new URL('../../fixtures/trainer/golden/gguf_blocks.safetensors', import.meta.url));

describe('dequantising', () => {
  for (const type of KNOWN_TYPES.filter((name) => name !== 'F32'))
    it(`gives the reference's numbers for ${type}, bit for bit`, async () => {
      const { tensors } = await readSafetensors(golden);
      const raw = tensors.get(`${type}.raw`)?.data;
      const expected = tensors.get(`${type}.f32`)?.data;
      assert.ok(raw instanceof Uint8Array && expected instanceof Float32Array);
      const actual = new Float32Array(expected.length);
      dequantise(type, Uint8Array.from(raw), actual);
      assert.ok(Buffer.from(actual.buffer).equals(Buffer.from(expected.buffer)));
    });

  it('takes numbers of type F32 as they are', () => {
    const values = Float32Array.of(1.5, -0, 3e-45, Number.NaN);
    const actual = new Float32Array(4);
    dequantise('F32', new Uint8Array(values.buffer), actual);
    assert.ok(Buffer.from(actual.buffer).equals(Buffer.from(values.buffer)));
  });

  it('knows all 65,536 half-precision numbers: each rounds back to its own bits', () => {
    const bits = Uint16Array.from({ length: 65536 }, (_, index) => index);
    const values = new Float32Array(65536);
    f16ToFloat(bits, values);
    for (const [index, value] of values.entries())
      if (Number.isNaN(value)) assert.ok((index & 0x7c00) === 0x7c00 && (index & 0x3ff) !== 0);
      else assert.equal(halfBits(value), index);
  });

  it('finds the first number that is infinite or not a number', () => {
    assert.equal(firstNotFinite(Float32Array.of(0, 3.4e38, -1e-45)), -1);
    assert.equal(firstNotFinite(Float32Array.of(0, Number.NEGATIVE_INFINITY, Number.NaN)), 1);
    assert.equal(firstNotFinite(Float32Array.of(0, 1, Number.NaN)), 2);
  });

  it('refuses a type that it does not know', () => {
    assert.throws(() => dequantise('Q2_K', new Uint8Array(84), new Float32Array(256)), RangeError);
  });
});
