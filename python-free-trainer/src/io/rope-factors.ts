import type { ModelConfig } from '../model/config.ts';

/**
 * What Llama 3 divides each of the headDim / 2 frequencies of the rotation by: 1 for short waves, `factor` for those longer
 * than the original positions allow, and a smooth passage in between. Source: `_compute_llama3_parameters` in transformers'
 * modeling_rope_utils.py; llama.cpp writes the same numbers as `rope_freqs.weight`.
 */
export function llama3Factors({
  ropeTheta,
  ropeScaling,
  headDim,
}: Pick<ModelConfig, 'ropeTheta' | 'ropeScaling' | 'headDim'>): readonly number[] | null {
  if (!ropeScaling) return null;
  const { factor, lowFrequencyFactor: low, highFrequencyFactor: high, originalPositions } = ropeScaling;
  return Array.from({ length: headDim / 2 }, (_, i) => {
    const waves = originalPositions / (2 * Math.PI * ropeTheta ** ((2 * i) / headDim));
    if (waves > high) return 1;
    if (waves < low) return factor;
    const smooth = (waves - low) / (high - low);
    return 1 / ((1 - smooth) / factor + smooth);
  });
}
