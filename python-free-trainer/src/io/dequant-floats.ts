/** The values of all 65,536 half-precision bit patterns. */
const HALF_VALUES: Float32Array = Float32Array.from({ length: 65536 }, (_, bits) => halfValue(bits));

function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** out[i] = the value of the half-precision bits. */
export function f16ToFloat(bits: Uint16Array, out: Float32Array): void {
  for (let i = 0; i < bits.length; i++) out[i] = HALF_VALUES[bits[i] as number] as number;
}

/** out[i] = the value of the bfloat16 bits: the upper half of a float32. */
export function bf16ToFloat(bits: Uint16Array, out: Float32Array): void {
  const outBits = new Uint32Array(out.buffer, out.byteOffset, out.length);
  for (let i = 0; i < bits.length; i++) outBits[i] = (bits[i] as number) << 16;
}

/** Index of the first element that is infinite or not a number, or -1. */
export function firstNotFinite(values: Float32Array): number {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < bits.length; i++) if (((bits[i] as number) & 0x7f800000) === 0x7f800000) return i;
  return -1;
}

/** The value of the half-precision bits in the two bytes at `at`. */
export function halfAt(bytes: Uint8Array, at: number): number {
  return HALF_VALUES[(bytes[at] as number) | ((bytes[at + 1] as number) << 8)] as number;
}
