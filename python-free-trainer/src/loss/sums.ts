import type { PackedBatch } from '../data/batch.ts';

/** Per example of a pack: the sum of its targets' log-probabilities and the number of its targets, [examples]. */
export interface ExampleSums {
  logProbs: Float64Array;
  tokens: Float64Array;
}

/** Sums log-probabilities over the targets of each example, in the order of the targets. */
export function sumByExample(logProbs: Float64Array, batch: PackedBatch): ExampleSums {
  const sums = { logProbs: new Float64Array(batch.exampleCount), tokens: new Float64Array(batch.exampleCount) };
  for (const [index, example] of batch.examples.entries()) {
    sums.logProbs[example] = (sums.logProbs[example] ?? 0) + (logProbs[index] ?? 0);
    sums.tokens[example] = (sums.tokens[example] ?? 0) + 1;
  }
  return sums;
}

/** log(1 / (1 + exp(-x))) without overflow. */
export function logSigmoid(x: number): number {
  return Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));
}

/** 1 / (1 + exp(-x)). */
export function sigmoid(x: number): number {
  return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
}
