const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const ROUNDS = 10;

/**
 * Philox4x32-10, a generator whose numbers are a function of a counter (Salmon, Moraes, Dror, Shaw, Parallel random numbers:
 * as easy as 1, 2, 3, SC 2011): the number at a place depends on nothing that was drawn before.
 *
 * @param counter four whole numbers of 32 bits
 * @param key two whole numbers of 32 bits
 * @returns four whole numbers from 0 to 2^32 - 1
 */
export function philox(
  counter: readonly [number, number, number, number],
  key: readonly [number, number],
): [number, number, number, number] {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0);
    const high1 = multiplyHigh(MULTIPLIER_1, c2);
    const low0 = Math.imul(MULTIPLIER_0, c0);
    const low1 = Math.imul(MULTIPLIER_1, c2);
    [c0, c1, c2, c3] = [high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0];
    k0 = (k0 + WEYL_0) | 0;
    k1 = (k1 + WEYL_1) | 0;
  }
  return [c0 >>> 0, c1 >>> 0, c2 >>> 0, c3 >>> 0];
}

/** The upper 32 bits of the product of two unsigned numbers of 32 bits. */
function multiplyHigh(a: number, b: number): number {
  const [aHigh, aLow] = [a >>> 16, a & 0xffff];
  const [bHigh, bLow] = [b >>> 16, b & 0xffff];
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carried = aLow * bHigh + (middle % 0x10000);
  return (aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(carried / 0x10000)) | 0;
}
