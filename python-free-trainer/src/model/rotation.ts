import type { ModelConfig } from './config.ts';

/** Cosines and sines of rotary position embedding, both [positions, headDim / 2]. */
export interface RotationTable {
  positions: number;
  cos: Float32Array;
  sin: Float32Array;
}

/**
 * Frequencies of rotary position embedding (arXiv 2104.09864): theta^(-2i / headDim), divided by the model's factors where
 * it has any, in float32 as Hugging Face's models compute them, [headDim / 2].
 */
export function rotationFrequencies(config: ModelConfig): Float32Array {
  const half = config.headDim / 2;
  const frequencies = new Float32Array(half);
  for (let index = 0; index < half; index++) {
    const exponent = Math.fround((2 * index) / config.headDim);
    frequencies[index] = 1 / Math.fround(config.ropeTheta ** exponent);
  }
  const factors = config.ropeFactors;
  return factors ? frequencies.map((frequency, index) => frequency / (factors[index] ?? 1)) : frequencies;
}

/** Cosines and sines for positions from 0; the angles are rounded to float32 first, as Hugging Face's models do. */
export function rotationTable(frequencies: Float32Array, positions: number): RotationTable {
  const half = frequencies.length;
  const table = {
    positions,
    cos: new Float32Array(positions * half),
    sin: new Float32Array(positions * half),
  };
  for (let position = 0; position < positions; position++)
    for (let index = 0; index < half; index++) {
      const angle = Math.fround(position * (frequencies[index] ?? 0));
      table.cos[position * half + index] = Math.cos(angle);
      table.sin[position * half + index] = Math.sin(angle);
    }
  return table;
}
