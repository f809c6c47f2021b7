import * as z from 'zod/mini';
import type { Architecture, ModelConfig } from '../model/config.ts';
import { checkConfig } from './check-config.ts';
import { modelUnreadable, modelUnsupported, runIsNoModel } from './errors.ts';
import { Rope, readRotation } from './hf-rope.ts';
import { misspelling } from './misspelling.ts';

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  Qwen3ForCausalLM: 'qwen3',
  Qwen2ForCausalLM: 'qwen2',
  LlamaForCausalLM: 'llama',
};
/** Length of a head where config.json of a Qwen3 does not say it (transformers' Qwen3Config). */
const QWEN3_HEAD = 128;

const Size = z.int().check(z.gte(1));
const Maybe = <T extends z.core.$ZodType>(type: T) => z.optional(z.nullable(type));

/** The fields of config.json that the computation depends on; all others are let be. */
const Config = z.object({
  architectures: z.array(z.string()).check(z.length(1)),
  model_type: Maybe(z.string()),
  hidden_size: Size,
  num_hidden_layers: Size,
  num_attention_heads: Size,
  num_key_value_heads: Maybe(Size),
  head_dim: Maybe(Size),
  intermediate_size: Size,
  vocab_size: Size,
  max_position_embeddings: Size,
  rms_norm_eps: z.number(),
  tie_word_embeddings: Maybe(z.boolean()),
  hidden_act: Maybe(z.string()),
  attention_bias: Maybe(z.boolean()),
  mlp_bias: Maybe(z.boolean()),
  rope_theta: Maybe(z.number()),
  rope_scaling: Maybe(Rope),
  rope_parameters: Maybe(Rope),
  rope_interleaved: Maybe(z.boolean()),
  partial_rotary_factor: Maybe(z.number()),
  use_sliding_window: Maybe(z.boolean()),
  sliding_window: Maybe(z.number()),
  max_window_layers: Maybe(z.number()),
  layer_types: Maybe(z.array(z.string())),
  num_experts: Maybe(z.number()),
  num_local_experts: Maybe(z.number()),
  quantization_config: Maybe(z.unknown()),
});
type HuggingFaceConfig = z.infer<typeof Config>;

/**
 * The shape of the model that a config.json describes, as transformers reads it (both before and since version 5).
 * @param text the file's content
 * @throws AppError `model_unreadable`, `model_unsupported`
 */
export function huggingFaceConfig(path: string, text: string): ModelConfig {
  const raw = parse(path, text);
  const architecture = architectureOf(path, raw);
  const checked = Config.safeParse(raw);
  if (!checked.success) throw modelUnreadable(path, fieldErrors(checked.error));
  const slip = misspelling(Object.keys(raw), Object.keys(Config.shape));
  if (slip) throw modelUnreadable(path, `it has the field ${slip.key}, which looks like a misspelt ${slip.meant}`);
  const fields = checked.data;
  checkUsual(path, fields, architecture);
  const heads = fields.num_attention_heads;
  const headDim = fields.head_dim ?? (architecture === 'qwen3' ? QWEN3_HEAD : fields.hidden_size / heads);
  const config: ModelConfig = {
    architecture,
    hidden: fields.hidden_size,
    layers: fields.num_hidden_layers,
    heads,
    kvHeads: fields.num_key_value_heads ?? heads,
    headDim,
    ffn: fields.intermediate_size,
    vocab: fields.vocab_size,
    tied: fields.tie_word_embeddings ?? false,
    ...readRotation(path, fields, headDim),
    rmsEps: fields.rms_norm_eps,
    qkvBias: architecture === 'qwen2',
    qkNorm: architecture === 'qwen3',
    maxPositions: fields.max_position_embeddings,
  };
  checkConfig(path, config);
  return config;
}

function parse(path: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw modelUnreadable(path, 'it is not a JSON object');
}

/** Looked at first: a configuration of another architecture has other fields, and is not to be called damaged. */
function architectureOf(path: string, raw: Record<string, unknown>): Architecture {
  const names: unknown = raw['architectures'];
  // The settings of a training run have the same name.
  if (names === undefined && 'model' in raw && 'data' in raw) throw runIsNoModel(path);
  if (!Array.isArray(names) || typeof names[0] !== 'string')
    throw modelUnreadable(path, 'it does not name its architecture ("architectures")');
  const name: string = names[0];
  const architecture = Object.hasOwn(ARCHITECTURES, name) ? ARCHITECTURES[name] : undefined;
  if (!architecture) throw modelUnsupported(path, `its architecture is ${name}`);
  const type = raw['model_type'] ?? architecture;
  if (type !== architecture)
    throw modelUnreadable(path, `its architecture is ${name}, and its model_type ${String(type)}`);
  return architecture;
}

function fieldErrors(error: z.core.$ZodError): string {
  return error.issues
    .map((issue) => `the field ${issue.path.join('.')} is missing or has a value that it cannot have`)
    .join('; ');
}

function checkUsual(path: string, fields: HuggingFaceConfig, architecture: Architecture): void {
  const refuse = (reason: string): never => {
    throw modelUnsupported(path, reason);
  };
  if ((fields.num_experts ?? 0) > 0 || (fields.num_local_experts ?? 0) > 0) refuse('it is a mixture of experts');
  if ((fields.hidden_act ?? 'silu') !== 'silu') refuse(`its activation is ${fields.hidden_act}`);
  // Qwen2 has biases on q, k and v whatever this field says; elsewhere it means one on o too.
  if (fields.attention_bias && architecture !== 'qwen2') refuse('its attention has biases');
  if (fields.mlp_bias) refuse('its feed-forward layers have biases');
  if (usesSlidingWindow(fields)) refuse('its attention has a sliding window');
  if (fields.quantization_config !== undefined && fields.quantization_config !== null)
    refuse('its weights are quantised; take the unquantised model, or a GGUF file');
}

function usesSlidingWindow(fields: HuggingFaceConfig): boolean {
  if (fields.layer_types) return fields.layer_types.some((type) => type !== 'full_attention');
  if (!fields.use_sliding_window || (fields.sliding_window ?? 0) <= 0) return false;
  return (fields.max_window_layers ?? 0) < fields.num_hidden_layers;
}
