import type { WeightSource } from '../../python-free-trainer/src/io/weight-source.ts';
import type { ModelConfig } from '../../python-free-trainer/src/model/config.ts';

/** Shapes of Qwen3 models, for timing with random weights. */
export const SHAPES: Record<string, ModelConfig> = {
  '0.6b': qwen3(1024, 28, 16, 3072),
  '1.7b': qwen3(2048, 28, 16, 6144),
  '4b': qwen3(2560, 36, 32, 9728),
  // SmolLM2-135M.
  small: { ...qwen3(576, 30, 9, 1536), architecture: 'llama', kvHeads: 3, headDim: 64, vocab: 49_152, qkNorm: false },
};

function qwen3(hidden: number, layers: number, heads: number, ffn: number): ModelConfig {
  return {
    architecture: 'qwen3',
    hidden,
    layers,
    heads,
    kvHeads: 8,
    headDim: 128,
    ffn,
    vocab: 151_936,
    tied: true,
    ropeTheta: 1e6,
    ropeScaling: null,
    ropeFactors: null,
    rmsEps: 1e-6,
    qkvBias: false,
    qkNorm: true,
    maxPositions: 40_960,
  };
}

/** A model of a shape with weights of the usual size; one piece of noise serves all of them. */
export class RandomWeights implements WeightSource {
  readonly config: ModelConfig;
  readonly name = 'random weights';
  readonly file = { path: '', sha256: '', bytes: 0 };
  readonly container = 'safetensors';
  readonly types = {};
  readonly shapes = new Map<string, readonly number[]>();
  readonly #noise: Float32Array;

  constructor(config: ModelConfig) {
    this.config = config;
    this.#noise = Float32Array.from({ length: 1_000_003 }, (_, i) => {
      // Sum of uniform numbers: close to normal, standard deviation 0.02.
      const u = (k: number) => ((Math.imul(i + 1, 2_654_435_761 + 40_503 * k) >>> 8) & 0xffff) / 65_536 - 0.5;
      return 0.02 * Math.sqrt(12 / 4) * (u(0) + u(1) + u(2) + u(3));
    });
  }

  read(name: string, into?: Float32Array): Promise<Float32Array> {
    const values = into ?? new Float32Array(0);
    if (name.endsWith('norm.weight')) values.fill(1);
    else
      for (let at = 0; at < values.length; at += this.#noise.length)
        values.set(this.#noise.subarray(0, Math.min(this.#noise.length, values.length - at)), at);
    return Promise.resolve(values);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
