import type { LoraPair } from '../model/adapter.ts';

/** Ranks whose products are summed in one pass over a row. */
const UNROLL = 4;

/** sum[i] += the products of `UNROLL` rows of A from `rank` on with their factors; those beyond `r` count as 0. */
function addRanks(sum: Float64Array, a: Float32Array, b: Float32Array, at: number, rank: number, r: number): void {
  const width = sum.length;
  const factor = (k: number): number => (rank + k < r ? (b[at + rank + k] ?? 0) : 0);
  const [b0, b1, b2, b3] = [factor(0), factor(1), factor(2), factor(3)];
  const start = rank * width;
  // Rows beyond the last are read as row `rank`, times 0.
  const step = (k: number): number => (rank + k < r ? start + k * width : start);
  const [s1, s2, s3] = [step(1), step(2), step(3)];
  for (let i = 0; i < width; i++) {
    sum[i] =
      (sum[i] as number) +
      b0 * (a[start + i] as number) +
      b1 * (a[s1 + i] as number) +
      b2 * (a[s2 + i] as number) +
      b3 * (a[s3 + i] as number);
  }
}

/**
 * weight += scale · B A, in place. The product is summed in double precision and rounded to float32 once, with the sum.
 * @param weight [out, in]
 */
export function mergeInto(weight: Float32Array, { a, b, in: width, out }: LoraPair, r: number, scale: number): void {
  const sum = new Float64Array(width);
  for (let row = 0; row < out; row++) {
    sum.fill(0);
    for (let rank = 0; rank < r; rank += UNROLL) addRanks(sum, a, b, row * r, rank, r);
    const start = row * width;
    for (let i = 0; i < width; i++) weight[start + i] = (weight[start + i] as number) + scale * (sum[i] as number);
  }
}
