import { bf16ToFloat, f16ToFloat } from './dequant-floats.ts';
import { dequantQ4K, dequantQ5K, dequantQ6K } from './dequant-k.ts';
import { dequantQ4, dequantQ4WithMinimum, dequantQ5, dequantQ5WithMinimum, dequantQ8 } from './dequant-simple.ts';

/** Fills `out` with the numbers that whole blocks stand for. */
type Dequantise = (blocks: Uint8Array, out: Float32Array) => void;

/**
 * How each type of GGUF tensors is turned into float32, bit for bit as ggml's `dequantize_row_*` (ggml-quants.c) do. No
 * product of a scale and a quantised value needs more than 24 bits, so only the last addition rounds, when it is stored.
 */
const DEQUANTISE: Readonly<Record<string, Dequantise>> = {
  F32: (blocks, out) => out.set(new Float32Array(blocks.buffer, blocks.byteOffset, out.length)),
  F16: (blocks, out) => f16ToFloat(new Uint16Array(blocks.buffer, blocks.byteOffset, out.length), out),
  BF16: (blocks, out) => bf16ToFloat(new Uint16Array(blocks.buffer, blocks.byteOffset, out.length), out),
  Q4_0: dequantQ4,
  Q4_1: dequantQ4WithMinimum,
  Q5_0: dequantQ5,
  Q5_1: dequantQ5WithMinimum,
  Q8_0: dequantQ8,
  Q4_K: dequantQ4K,
  Q5_K: dequantQ5K,
  Q6_K: dequantQ6K,
};

/** The names of the types that can be turned into float32. */
export const KNOWN_TYPES: readonly string[] = Object.keys(DEQUANTISE);

/**
 * Turns whole blocks of a type into float32.
 * @param type one of `KNOWN_TYPES`
 * @param blocks bytes as in the file, beginning at a multiple of 4 of their buffer
 */
export function dequantise(type: string, blocks: Uint8Array, out: Float32Array): void {
  const dequant = DEQUANTISE[type];
  if (!dequant) throw new RangeError(`${type} is not a known type`);
  dequant(blocks, out);
}
