import type { ModelConfig } from '../model/config.ts';

const FLOAT_BYTES = 4;
/** Values, gradients and the two moments of a trained number. */
const COPIES_TRAINED = 4;

/**
 * Bytes that a training step on the CPU needs at least, in float32: weights, adapter with gradients and moments, and what
 * every layer keeps of each token of a pack for the way back (residual stream, normed inputs, queries, keys and values
 * before and after the rotation, attention's output, gate, up and their product).
 */
export function leastMemory(
  { hidden, layers, heads, kvHeads, headDim, ffn }: ModelConfig,
  sizes: { parameters: number; trained: number; packTokens: number },
): number {
  const queries = heads * headDim;
  const perToken = 4 * hidden + 2 * (queries + 2 * kvHeads * headDim) + queries + 3 * ffn;
  const numbers = sizes.parameters + COPIES_TRAINED * sizes.trained + perToken * layers * sizes.packTokens;
  return numbers * FLOAT_BYTES;
}
