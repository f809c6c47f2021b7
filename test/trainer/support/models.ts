import type { WeightSource } from '../../../python-free-trainer/src/io/weight-source.ts';
import type { Adapter } from '../../../python-free-trainer/src/model/adapter.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';
import { freshAdapter } from '../../../python-free-trainer/src/model/lora.ts';
import { TARGETS, targetName, targetPlace } from '../../../python-free-trainer/src/model/targets.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import type { LoraTarget } from '../../../src/protocol/training.ts';

/** A tiny shape of each family that the trainer knows. */
export const TINY: Readonly<Record<'qwen3' | 'qwen2' | 'llama', ModelConfig>> = {
  qwen3: tiny({ architecture: 'qwen3', qkNorm: true, headDim: 128, tied: true }),
  qwen2: tiny({ architecture: 'qwen2', qkvBias: true, tied: true }),
  llama: tiny({ architecture: 'llama', tied: false, ropeFactors: [1, 1, 2.5, 8] }),
};

function tiny(config: Partial<ModelConfig> & Pick<ModelConfig, 'architecture'>): ModelConfig {
  return {
    hidden: 24,
    layers: 2,
    heads: 4,
    kvHeads: 2,
    headDim: 8,
    ffn: 40,
    vocab: 50,
    tied: true,
    ropeTheta: 10_000,
    ropeScaling: null,
    rmsEps: 1e-6,
    qkvBias: false,
    qkNorm: false,
    maxPositions: 256,
    ...config,
  };
}

/** A model with weights of a seed, about as large as a trained one's. */
export function randomModel(config: ModelConfig, seed: number): WeightSource {
  const shapes = weightShapes(config);
  const random = new Random(seed);
  const tensors = new Map<string, Float32Array>();
  for (const [name, shape] of shapes) tensors.set(name, randomTensor(name, shape, random));
  return {
    config,
    name: `tiny ${config.architecture}`,
    file: { path: '', sha256: '', bytes: 0 },
    container: 'safetensors',
    types: { F32: shapes.size },
    shapes,
    read: (name, into) => {
      const values = tensors.get(name);
      if (values === undefined) throw new Error(`no tensor ${name}`);
      into?.set(values);
      return Promise.resolve(into ?? values.slice());
    },
    close: () => Promise.resolve(),
  };
}

function weightShapes(config: ModelConfig): Map<string, number[]> {
  const shapes = new Map<string, number[]>();
  shapes.set('model.embed_tokens.weight', [config.vocab, config.hidden]);
  for (let layer = 0; layer < config.layers; layer++) {
    const name = `model.layers.${layer}`;
    shapes.set(`${name}.input_layernorm.weight`, [config.hidden]);
    shapes.set(`${name}.post_attention_layernorm.weight`, [config.hidden]);
    if (config.qkNorm)
      for (const norm of ['q_norm', 'k_norm']) shapes.set(`${name}.self_attn.${norm}.weight`, [config.headDim]);
    for (const target of TARGETS) {
      const place = targetPlace(config, target);
      shapes.set(`${targetName(layer, target)}.weight`, [place.out, place.in]);
      if (config.qkvBias && place.projection === 'qkv') shapes.set(`${targetName(layer, target)}.bias`, [place.out]);
    }
  }
  shapes.set('model.norm.weight', [config.hidden]);
  if (!config.tied) shapes.set('lm_head.weight', [config.vocab, config.hidden]);
  return shapes;
}

function randomTensor(name: string, shape: readonly number[], random: Random): Float32Array {
  const norm = name.endsWith('norm.weight');
  const spread = norm ? 0.3 : name.endsWith('.bias') ? 0.5 : 1.7 / Math.sqrt(shape.at(-1) ?? 1);
  return Float32Array.from({ length: shape.reduce((product, size) => product * size, 1) }, () => {
    const uniform = (2 * random.uint32()) / 0x1_0000_0000 - 1;
    return (norm ? 1 : 0) + spread * uniform;
  });
}

/** An adapter of a seed on these layers (default: all) whose B is not zero, so that all of its gradients are there. */
export function randomAdapter(config: ModelConfig, seed: number, targets: readonly LoraTarget[] = TARGETS): Adapter {
  const adapter = freshAdapter(config, { r: 3, alpha: 6, rslora: false, targets }, seed);
  const random = new Random(seed);
  for (const { b } of adapter.pairs)
    for (const index of b.keys()) b[index] = (0.4 * random.uint32()) / 0x1_0000_0000 - 0.2;
  return adapter;
}

/** Token ids of a seed. */
export function randomTokens(count: number, vocab: number, seed: number): number[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => random.below(vocab));
}
