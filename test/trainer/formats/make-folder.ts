import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TensorToWrite, writeSafetensors } from '../../../python-free-trainer/src/io/safetensors.ts';
import type { WeightSource } from '../../../python-free-trainer/src/io/weight-source.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';

const CLASSES = { qwen3: 'Qwen3ForCausalLM', qwen2: 'Qwen2ForCausalLM', llama: 'LlamaForCausalLM' };

/** A config.json as transformers 4 writes it. */
export function configJson(config: ModelConfig): Record<string, unknown> {
  const scaling = config.ropeScaling;
  return {
    architectures: [CLASSES[config.architecture]],
    model_type: config.architecture,
    hidden_size: config.hidden,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    intermediate_size: config.ffn,
    vocab_size: config.vocab,
    tie_word_embeddings: config.tied,
    rms_norm_eps: config.rmsEps,
    rope_theta: config.ropeTheta,
    rope_scaling: scaling && {
      rope_type: 'llama3',
      factor: scaling.factor,
      low_freq_factor: scaling.lowFrequencyFactor,
      high_freq_factor: scaling.highFrequencyFactor,
      original_max_position_embeddings: scaling.originalPositions,
    },
    max_position_embeddings: config.maxPositions,
    hidden_act: 'silu',
    use_sliding_window: false,
    sliding_window: 4096,
    max_window_layers: 0,
    torch_dtype: 'float32',
  };
}

export interface FolderOptions {
  /** Fields of config.json that are other ones; undefined takes one away. */
  config?: Record<string, unknown>;
  /** Number of weight files with an index; default: one without. */
  shards?: number;
  /** Tensors that are left out. */
  without?: readonly string[];
  /** Tensors beside the model's own, or instead of them. */
  tensors?: ReadonlyMap<string, TensorToWrite>;
}

/** Writes a model as a folder in Hugging Face's layout. */
export async function writeFolder(folder: string, source: WeightSource, options: FolderOptions = {}): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ ...configJson(source.config), ...options.config }, null, 2),
  );
  const tensors = new Map<string, TensorToWrite>();
  for (const [name, shape] of source.shapes) tensors.set(name, { shape, data: await source.read(name) });
  for (const [name, tensor] of options.tensors ?? []) tensors.set(name, tensor);
  for (const name of options.without ?? []) tensors.delete(name);
  const { shards } = options;
  if (shards === undefined) return writeSafetensors(join(folder, 'model.safetensors'), tensors, { format: 'pt' });
  const fileOf = (index: number): string => `model-0000${(index % shards) + 1}-of-0000${shards}.safetensors`;
  const map = new Map([...tensors.keys()].map((name, index) => [name, fileOf(index)]));
  for (const file of new Set(map.values()))
    await writeSafetensors(join(folder, file), new Map([...tensors].filter(([name]) => map.get(name) === file)));
  const index = { metadata: { total_size: 1 }, weight_map: Object.fromEntries(map) };
  writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify(index, null, 2));
}
