import type { ModelConfig } from '../model/config.ts';

type Shapes = Map<string, readonly number[]>;

/** Name of a tensor of one block. */
export function layerTensor(layer: number, name: string): string {
  return `model.layers.${layer}.${name}`;
}

/** Every tensor that a model of this shape has, by Hugging Face's names; [out, in] where it is linear. */
export function expectedShapes(config: ModelConfig): Shapes {
  const shapes: Shapes = new Map();
  shapes.set('model.embed_tokens.weight', [config.vocab, config.hidden]);
  for (let layer = 0; layer < config.layers; layer++)
    for (const [name, shape] of blockShapes(config)) shapes.set(layerTensor(layer, name), shape);
  shapes.set('model.norm.weight', [config.hidden]);
  if (!config.tied) shapes.set('lm_head.weight', [config.vocab, config.hidden]);
  return shapes;
}

function blockShapes(config: ModelConfig): Shapes {
  const { hidden, heads, kvHeads, headDim, ffn } = config;
  const q = heads * headDim;
  const kv = kvHeads * headDim;
  const shapes: Shapes = new Map([
    ['input_layernorm.weight', [hidden]],
    ['self_attn.q_proj.weight', [q, hidden]],
    ['self_attn.k_proj.weight', [kv, hidden]],
    ['self_attn.v_proj.weight', [kv, hidden]],
    ['self_attn.o_proj.weight', [hidden, q]],
    ['post_attention_layernorm.weight', [hidden]],
    ['mlp.gate_proj.weight', [ffn, hidden]],
    ['mlp.up_proj.weight', [ffn, hidden]],
    ['mlp.down_proj.weight', [hidden, ffn]],
  ]);
  if (config.qkvBias) {
    shapes.set('self_attn.q_proj.bias', [q]);
    shapes.set('self_attn.k_proj.bias', [kv]);
    shapes.set('self_attn.v_proj.bias', [kv]);
  }
  if (config.qkNorm) {
    shapes.set('self_attn.q_norm.weight', [headDim]);
    shapes.set('self_attn.k_norm.weight', [headDim]);
  }
  return shapes;
}

/** Number of elements of a shape. */
export function elementsOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
