import type { ModelConfig } from '../model/config.ts';
import type { TypedValue } from './gguf-bytes.ts';

/** What llama.cpp needs to know of a model's shape. Source: `set_gguf_parameters` of its convert_hf_to_gguf.py. */
export function hyperparameters(config: ModelConfig): [string, TypedValue][] {
  const { architecture } = config;
  const counts: Record<string, number> = {
    block_count: config.layers,
    context_length: config.maxPositions,
    embedding_length: config.hidden,
    feed_forward_length: config.ffn,
    'attention.head_count': config.heads,
    'attention.head_count_kv': config.kvHeads,
    'attention.key_length': config.headDim,
    'attention.value_length': config.headDim,
    'rope.dimension_count': config.headDim,
    vocab_size: config.vocab,
  };
  const floats: Record<string, number> = {
    'rope.freq_base': config.ropeTheta,
    'attention.layer_norm_rms_epsilon': config.rmsEps,
  };
  const entry =
    (type: 'uint32' | 'float32') =>
    ([key, value]: [string, number]): [string, TypedValue] => [`${architecture}.${key}`, { type, value }];
  return [...Object.entries(counts).map(entry('uint32')), ...Object.entries(floats).map(entry('float32'))];
}
