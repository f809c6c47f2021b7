import { halfAt } from './dequant-floats.ts';

/** Elements of a super-block of each of these types. */
const BLOCK = 256;

/** The 6-bit scale `i` of 8 in the 12 bytes at `at`: the first four lie in the lower bits, the rest is spread. */
function scaleOf(bytes: Uint8Array, at: number, i: number): number {
  if (i < 4) return (bytes[at + i] as number) & 63;
  return ((bytes[at + i + 4] as number) & 15) | (((bytes[at + i - 4] as number) >> 6) << 4);
}

/** The 6-bit minimum `i` of 8 in the same bytes. */
function minimumOf(bytes: Uint8Array, at: number, i: number): number {
  if (i < 4) return (bytes[at + i + 4] as number) & 63;
  return ((bytes[at + i + 4] as number) >> 4) | (((bytes[at + i] as number) >> 6) << 4);
}

/**
 * Q4_K: scales d and dMin, 12 bytes with 8 scales and minima of 6 bits, 128 bytes. Sub-blocks of 32 come in pairs, the first
 * in the lower halves of 32 bytes, the second in the upper; q (d scale) - dMin minimum.
 */
export function dequantQ4K(blocks: Uint8Array, out: Float32Array): void {
  dequantPairs(blocks, out, false);
}

/** Q5_K: as Q4_K, with 32 bytes of fifth bits between scales and halves: bit s of byte i belongs to element i of sub-block s. */
export function dequantQ5K(blocks: Uint8Array, out: Float32Array): void {
  dequantPairs(blocks, out, true);
}

function dequantPairs(blocks: Uint8Array, out: Float32Array, hasFifth: boolean): void {
  const halves = hasFifth ? 48 : 16;
  for (let at = 0, to = 0; to < out.length; at += halves + 128, to += BLOCK) {
    const d = halfAt(blocks, at);
    const dMin = halfAt(blocks, at + 2);
    for (let pair = 0; pair < 4; pair++) {
      const scaleLow = d * scaleOf(blocks, at + 4, 2 * pair);
      const minimumLow = dMin * minimumOf(blocks, at + 4, 2 * pair);
      const scaleHigh = d * scaleOf(blocks, at + 4, 2 * pair + 1);
      const minimumHigh = dMin * minimumOf(blocks, at + 4, 2 * pair + 1);
      const from = at + halves + 32 * pair;
      const low = to + 64 * pair;
      for (let i = 0; i < 32; i++) {
        const both = blocks[from + i] as number;
        const fifth = hasFifth ? (blocks[at + 16 + i] as number) >> (2 * pair) : 0;
        out[low + i] = scaleLow * ((both & 15) + ((fifth & 1) << 4)) - minimumLow;
        out[low + i + 32] = scaleHigh * ((both >> 4) + ((fifth & 2) << 3)) - minimumHigh;
      }
    }
  }
}

/**
 * Q6_K: 128 bytes of lower halves, 64 of upper pairs of bits, 16 signed scales of 16 elements each, d. Each half of the block
 * has four runs of 32: runs 0 and 2 in the lower and upper halves of the first 32 bytes, 1 and 3 in those of the second;
 * d scale (q - 32).
 */
export function dequantQ6K(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, to = 0; to < out.length; at += 210, to += BLOCK) {
    const d = halfAt(blocks, at + 208);
    for (let side = 0; side < 2; side++) {
      const lower = at + 64 * side;
      const upper = at + 128 + 32 * side;
      const scales = at + 192 + 8 * side;
      const first = to + 128 * side;
      for (let i = 0; i < 32; i++) {
        const scale = scales + (i >> 4);
        const high = blocks[upper + i] as number;
        const a = blocks[lower + i] as number;
        const b = blocks[lower + 32 + i] as number;
        out[first + i] = d * signed(blocks[scale]) * (((a & 15) | ((high & 3) << 4)) - 32);
        out[first + i + 32] = d * signed(blocks[scale + 2]) * (((b & 15) | ((high & 12) << 2)) - 32);
        out[first + i + 64] = d * signed(blocks[scale + 4]) * (((a >> 4) | (high & 48)) - 32);
        out[first + i + 96] = d * signed(blocks[scale + 6]) * (((b >> 4) | ((high & 192) >> 2)) - 32);
      }
    }
  }
}

function signed(byte: number | undefined): number {
  return ((byte as number) << 24) >> 24;
}
