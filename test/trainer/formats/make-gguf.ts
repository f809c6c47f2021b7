import { GgufBytes, type TypedValue } from '../../../python-free-trainer/src/io/gguf-bytes.ts';
import type { WeightSource } from '../../../python-free-trainer/src/io/weight-source.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';

/** A tensor as it stands in a file; shape as in PyTorch. */
export interface RawTensor {
  name: string;
  shape: readonly number[];
  /** ggml's number of the type; 0 is F32. */
  type: number;
  bytes: Uint8Array;
}

export interface GgufParts {
  metadata: Map<string, TypedValue>;
  tensors: RawTensor[];
  version?: number;
  alignment?: number;
}

/** The bytes of a GGUF file, of any version and with any tensors, also with those that no reader should take. */
export function ggufFile({ metadata, tensors, version = 3, alignment = 32 }: GgufParts): Uint8Array {
  const file = new GgufBytes();
  file.raw(Buffer.from('GGUF'));
  file.u32(version);
  file.u64(tensors.length);
  file.u64(metadata.size);
  for (const [key, value] of metadata) file.entry(key, value);
  let offset = 0;
  for (const { name, shape, type, bytes } of tensors) {
    file.string(name);
    file.u32(shape.length);
    for (const size of shape.toReversed()) file.u64(size);
    file.u32(type);
    file.u64(offset);
    offset = Math.ceil((offset + bytes.length) / alignment) * alignment;
  }
  file.pad(alignment);
  for (const { bytes } of tensors) {
    file.raw(bytes);
    file.pad(alignment);
  }
  return Uint8Array.from(file.bytes());
}

export const text = (value: string): TypedValue => ({ type: 'string', value });
export const whole = (value: number): TypedValue => ({ type: 'uint32', value });
export const float = (value: number): TypedValue => ({ type: 'float32', value });

/** The metadata of a model of this shape, as llama.cpp's converter writes them. */
export function modelMetadata(config: ModelConfig): Map<string, TypedValue> {
  const a = config.architecture;
  return new Map([
    ['general.architecture', text(a)],
    ['general.type', text('model')],
    ['general.name', text('Tiny')],
    [`${a}.block_count`, whole(config.layers)],
    [`${a}.context_length`, whole(config.maxPositions)],
    [`${a}.embedding_length`, whole(config.hidden)],
    [`${a}.feed_forward_length`, whole(config.ffn)],
    [`${a}.attention.head_count`, whole(config.heads)],
    [`${a}.attention.head_count_kv`, whole(config.kvHeads)],
    [`${a}.attention.key_length`, whole(config.headDim)],
    [`${a}.attention.value_length`, whole(config.headDim)],
    [`${a}.attention.layer_norm_rms_epsilon`, float(config.rmsEps)],
    [`${a}.rope.freq_base`, float(config.ropeTheta)],
    ['general.file_type', whole(0)],
  ]);
}

const PARTS: Record<string, string> = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  lm_head: 'output',
  input_layernorm: 'attn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'self_attn.q_norm': 'attn_q_norm',
  'self_attn.k_norm': 'attn_k_norm',
  post_attention_layernorm: 'ffn_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

function nameInGguf(name: string): string {
  const [, layer, part = '', kind] = /^(?:model\.layers\.(\d+)\.)?(.+)\.(weight|bias)$/.exec(name) ?? [];
  return `${layer === undefined ? '' : `blk.${layer}.`}${PARTS[part]}.${kind}`;
}

/** Rows of q or k as the converter writes them for `llama`: (head, half, pair) becomes (head, pair, half). */
function permuted(rows: Float32Array, heads: number, columns: number): Float32Array {
  const half = rows.length / columns / heads / 2;
  const out = new Float32Array(rows.length);
  let to = 0;
  for (let head = 0; head < heads; head++)
    for (let pair = 0; pair < half; pair++)
      for (const side of [0, 1]) {
        const from = (head * 2 + side) * half + pair;
        out.set(rows.subarray(from * columns, (from + 1) * columns), columns * to++);
      }
  return out;
}

/** The tensors of a model in float32, as the converter orders rows and names them. */
export async function modelTensors(source: WeightSource): Promise<RawTensor[]> {
  const { config, shapes } = source;
  const tensors: RawTensor[] = [];
  for (const [name, shape] of shapes) {
    const values = await source.read(name);
    const heads = name.includes('q_proj.weight') ? config.heads : name.includes('k_proj.weight') ? config.kvHeads : 0;
    const stored = config.architecture === 'llama' && heads > 0 ? permuted(values, heads, config.hidden) : values;
    tensors.push({ name: nameInGguf(name), shape, type: 0, bytes: new Uint8Array(stored.buffer) });
  }
  if (config.ropeFactors) tensors.push(f32Tensor('rope_freqs.weight', Float32Array.from(config.ropeFactors)));
  return tensors;
}

export function f32Tensor(name: string, values: Float32Array): RawTensor {
  return { name, shape: [values.length], type: 0, bytes: new Uint8Array(values.buffer) };
}
