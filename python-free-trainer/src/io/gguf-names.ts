/** Names of a GGUF file without `.weight` or `.bias`, and Hugging Face's. Source: gguf-py's `tensor_mapping.py`. */
const OUTER: readonly (readonly [string, string])[] = [
  ['token_embd', 'model.embed_tokens'],
  ['output_norm', 'model.norm'],
  ['output', 'lm_head'],
];
const BLOCK: readonly (readonly [string, string])[] = [
  ['attn_norm', 'input_layernorm'],
  ['attn_q', 'self_attn.q_proj'],
  ['attn_k', 'self_attn.k_proj'],
  ['attn_v', 'self_attn.v_proj'],
  ['attn_output', 'self_attn.o_proj'],
  ['attn_q_norm', 'self_attn.q_norm'],
  ['attn_k_norm', 'self_attn.k_norm'],
  ['ffn_norm', 'post_attention_layernorm'],
  ['ffn_gate', 'mlp.gate_proj'],
  ['ffn_up', 'mlp.up_proj'],
  ['ffn_down', 'mlp.down_proj'],
];

const OUTER_BY_GGUF = new Map(OUTER);
const BLOCK_BY_GGUF = new Map(BLOCK);
const OUTER_BY_HF = new Map(OUTER.map(([gguf, hf]) => [hf, gguf]));
const BLOCK_BY_HF = new Map(BLOCK.map(([gguf, hf]) => [hf, gguf]));

/** `blk.0.attn_q.weight` -> `model.layers.0.self_attn.q_proj.weight`; null where the name is another one. */
export function toHuggingFaceName(gguf: string): string | null {
  const match = /^(?:blk\.(\d+)\.)?(\w+)\.(weight|bias)$/.exec(gguf);
  if (!match) return null;
  const [, layer, part = '', kind] = match;
  const name = layer === undefined ? OUTER_BY_GGUF.get(part) : BLOCK_BY_GGUF.get(part);
  if (name === undefined) return null;
  return layer === undefined ? `${name}.${kind}` : `model.layers.${layer}.${name}.${kind}`;
}

/** `model.layers.0.self_attn.q_proj.weight` -> `blk.0.attn_q.weight`; null where the name is another one. */
export function toGgufName(huggingFace: string): string | null {
  const match = /^(?:model\.layers\.(\d+)\.)?(.+)\.(weight|bias)$/.exec(huggingFace);
  if (!match) return null;
  const [, layer, part = '', kind] = match;
  const name = layer === undefined ? OUTER_BY_HF.get(part) : BLOCK_BY_HF.get(part);
  if (name === undefined) return null;
  return layer === undefined ? `${name}.${kind}` : `blk.${layer}.${name}.${kind}`;
}
