import { halfAt } from './dequant-floats.ts';

/** Elements of a block of each of these types. */
const BLOCK = 32;

/** Q4_0: scale d, 16 bytes with element i in the lower and i + 16 in the upper half; (q - 8) d. */
export function dequantQ4(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, to = 0; to < out.length; at += 18, to += BLOCK) {
    const d = halfAt(blocks, at);
    for (let i = 0; i < 16; i++) {
      const pair = blocks[at + 2 + i] as number;
      out[to + i] = ((pair & 15) - 8) * d;
      out[to + i + 16] = ((pair >> 4) - 8) * d;
    }
  }
}

/** Q4_1: scale d, minimum m, 16 bytes as in Q4_0; q d + m. */
export function dequantQ4WithMinimum(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, to = 0; to < out.length; at += 20, to += BLOCK) {
    const d = halfAt(blocks, at);
    const m = halfAt(blocks, at + 2);
    for (let i = 0; i < 16; i++) {
      const pair = blocks[at + 4 + i] as number;
      out[to + i] = (pair & 15) * d + m;
      out[to + i + 16] = (pair >> 4) * d + m;
    }
  }
}

/** The 32 fifth bits of a block. */
function fifthBits(blocks: Uint8Array, at: number): number {
  return (
    (blocks[at] as number) |
    ((blocks[at + 1] as number) << 8) |
    ((blocks[at + 2] as number) << 16) |
    ((blocks[at + 3] as number) << 24)
  );
}

/** Q5_0: scale d, 32 fifth bits, 16 bytes as in Q4_0; (q - 16) d. */
export function dequantQ5(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, to = 0; to < out.length; at += 22, to += BLOCK) {
    const d = halfAt(blocks, at);
    const fifth = fifthBits(blocks, at + 2);
    for (let i = 0; i < 16; i++) {
      const pair = blocks[at + 6 + i] as number;
      out[to + i] = ((pair & 15) + (((fifth >> i) & 1) << 4) - 16) * d;
      out[to + i + 16] = ((pair >> 4) + (((fifth >> (i + 16)) & 1) << 4) - 16) * d;
    }
  }
}

/** Q5_1: scale d, minimum m, 32 fifth bits, 16 bytes as in Q4_0; q d + m. */
export function dequantQ5WithMinimum(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, to = 0; to < out.length; at += 24, to += BLOCK) {
    const d = halfAt(blocks, at);
    const m = halfAt(blocks, at + 2);
    const fifth = fifthBits(blocks, at + 4);
    for (let i = 0; i < 16; i++) {
      const pair = blocks[at + 8 + i] as number;
      out[to + i] = ((pair & 15) + (((fifth >> i) & 1) << 4)) * d + m;
      out[to + i + 16] = ((pair >> 4) + (((fifth >> (i + 16)) & 1) << 4)) * d + m;
    }
  }
}

/** Q8_0: scale d, 32 signed bytes; q d. */
export function dequantQ8(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, to = 0; to < out.length; at += 34, to += BLOCK) {
    const d = halfAt(blocks, at);
    for (let i = 0; i < BLOCK; i++) out[to + i] = (((blocks[at + 2 + i] as number) << 24) >> 24) * d;
  }
}
