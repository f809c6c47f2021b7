const FLOAT = new Float32Array(1);
const BITS = new Uint32Array(FLOAT.buffer);

/**
 * The IEEE 754 half-precision bits of a float32, rounded to nearest, ties to even; beyond 65519.99 infinity; every NaN is
 * 0x7e00 with its sign.
 */
export function halfBits(value: number): number {
  FLOAT[0] = value;
  const bits = BITS[0] ?? 0;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  // Normal: 13 bits of the fraction go; a carry into the exponent is as it should be.
  if (magnitude >= 0x38800000) return sign | ((magnitude + 0xfff + ((magnitude >>> 13) & 1) - 0x38000000) >>> 13);
  // Subnormal: the last place of 0.5 in float32 is 2^-24, half precision's smallest step, so this addition rounds.
  FLOAT[0] = 0.5 + Math.abs(value);
  return sign | ((BITS[0] ?? 0) - 0x3f000000);
}
