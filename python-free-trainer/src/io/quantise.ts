import { halfBits } from './half.ts';

/** What float32 values can be written as. */
export type StoredType = 'F32' | 'F16' | 'Q8_0';

/** Values of a block of Q8_0: one half-precision scale, then 32 signed bytes. */
export const Q8_BLOCK = 32;
const Q8_BYTES = 34;

/** Bytes that `count` values take; for Q8_0 a multiple of 32. */
export function storedBytes(type: StoredType, count: number): number {
  if (type === 'F32') return count * 4;
  return type === 'F16' ? count * 2 : (count / Q8_BLOCK) * Q8_BYTES;
}

/** Half precision, little endian, rounded to nearest even. */
export function toF16(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 2);
  for (let i = 0; i < values.length; i++) {
    const bits = halfBits(values[i] ?? 0);
    bytes[2 * i] = bits & 0xff;
    bytes[2 * i + 1] = bits >>> 8;
  }
  return bytes;
}

/**
 * Blocks of Q8_0 as ggml's `quantize_row_q8_0_ref` makes them, bit for bit: d = max |x| / 127 in float32, each value
 * round(x · (1 / d)) with halves away from zero, d written in half precision.
 * @param values a multiple of 32 of them
 */
export function toQ8_0(values: Float32Array): Uint8Array {
  const blocks = values.length / Q8_BLOCK;
  const bytes = new Uint8Array(blocks * Q8_BYTES);
  for (let block = 0; block < blocks; block++) {
    const from = block * Q8_BLOCK;
    let largest = 0;
    for (let i = from; i < from + Q8_BLOCK; i++) largest = Math.max(largest, Math.abs(values[i] ?? 0));
    const scale = Math.fround(largest / 127);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    const at = block * Q8_BYTES;
    const bits = halfBits(scale);
    bytes[at] = bits & 0xff;
    bytes[at + 1] = bits >>> 8;
    for (let i = 0; i < Q8_BLOCK; i++) {
      const scaled = Math.fround((values[from + i] ?? 0) * inverse);
      // Exact in double precision, so halves and what lies just below them stay apart. A negative byte wraps.
      bytes[at + 2 + i] = scaled < 0 ? -Math.floor(0.5 - scaled) : Math.floor(scaled + 0.5);
    }
  }
  return bytes;
}

/** The bytes of values in a type, as they stand in a file. */
export function toStored(type: StoredType, values: Float32Array): Uint8Array {
  if (type === 'F16') return toF16(values);
  if (type === 'Q8_0') return toQ8_0(values);
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
