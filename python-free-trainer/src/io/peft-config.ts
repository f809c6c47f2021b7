import * as z from 'zod/mini';
import { LoraTarget } from '../../../src/protocol/training.ts';
import type { Adapter } from '../model/adapter.ts';
import { TARGETS } from '../model/targets.ts';
import { adapterDamaged, adapterUnsupported } from './adapter-errors.ts';

/** What of PEFT's `adapter_config.json` is looked at; its other entries are for the training or for people. */
const PeftConfig = z.object({
  peft_type: z.string(),
  r: z.int().check(z.gte(1), z.lte(65536)),
  lora_alpha: z.number(),
  target_modules: z.optional(z.nullable(z.union([z.string(), z.array(z.string())]))),
  layers_to_transform: z.optional(z.nullable(z.union([z.int(), z.array(z.int())]))),
  bias: z.optional(z.string()),
  use_rslora: z.optional(z.boolean()),
  use_dora: z.optional(z.boolean()),
  lora_bias: z.optional(z.boolean()),
  fan_in_fan_out: z.optional(z.boolean()),
  modules_to_save: z.optional(z.nullable(z.array(z.string()))),
  trainable_token_indices: z.optional(z.unknown()),
  layer_replication: z.optional(z.unknown()),
  rank_pattern: z.optional(z.nullable(z.record(z.string(), z.number()))),
  alpha_pattern: z.optional(z.nullable(z.record(z.string(), z.number()))),
  init_lora_weights: z.optional(z.nullable(z.union([z.boolean(), z.string()]))),
});
type PeftConfig = z.infer<typeof PeftConfig>;

/** Ways to begin that change the base's own weights, so that the adapter fits no plain base. */
const CHANGES_BASE = /^(pissa|olora|corda|loftq)/;

function unsupported(config: PeftConfig): string | null {
  if (config.peft_type !== 'LORA') return `its kind is ${config.peft_type}, not LoRA`;
  if (config.use_dora) return 'it uses DoRA';
  if ((config.bias ?? 'none') !== 'none' || config.lora_bias) return 'it has biases';
  if (config.fan_in_fan_out) return 'its weights are transposed (fan_in_fan_out)';
  if (config.modules_to_save?.length) return `it brings whole layers (${config.modules_to_save.join(', ')})`;
  if (config.trainable_token_indices) return 'it brings embeddings of tokens';
  if (config.layer_replication) return 'it repeats layers of the base';
  if (Object.keys(config.rank_pattern ?? {}).length > 0) return 'its layers have different ranks (rank_pattern)';
  if (Object.keys(config.alpha_pattern ?? {}).length > 0) return 'its layers have different scales (alpha_pattern)';
  const begin = config.init_lora_weights;
  if (typeof begin === 'string' && CHANGES_BASE.test(begin)) return `it began by changing the base (${begin})`;
  return null;
}

/** The names of `target_modules`; null where they are a pattern, and the tensors alone say. */
function targetsOf(path: string, modules: PeftConfig['target_modules']): LoraTarget[] | null {
  if (!Array.isArray(modules)) return null;
  return modules.map((name) => {
    const target = LoraTarget.safeParse(name.split('.').at(-1));
    if (!target.success) throw adapterUnsupported(path, `it changes ${name}`);
    return target.data;
  });
}

/** The scale of a PEFT adapter and where it has its factors. */
export interface PeftFacts {
  r: number;
  alpha: number;
  rslora: boolean;
  /** null: every layer of the base. */
  layers: number[] | null;
  /** null: not said. */
  targets: LoraTarget[] | null;
}

/**
 * Reads the text of `adapter_config.json`.
 * @throws AppError `adapter_damaged`, `adapter_unsupported`
 */
export function parsePeftConfig(path: string, text: string): PeftFacts {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw adapterDamaged(path, 'its adapter_config.json is not JSON');
  }
  const kind = z.object({ peft_type: z.string() }).safeParse(json);
  if (kind.success && kind.data.peft_type !== 'LORA')
    throw adapterUnsupported(path, `its kind is ${kind.data.peft_type}, not LoRA`);
  const parsed = PeftConfig.safeParse(json);
  if (!parsed.success) {
    const at = parsed.error.issues[0]?.path.join('.');
    throw adapterDamaged(path, `its adapter_config.json ${at ? `has a wrong "${at}"` : 'is not an object'}`);
  }
  const reason = unsupported(parsed.data);
  if (reason !== null) throw adapterUnsupported(path, reason);
  const { r, lora_alpha: alpha, use_rslora: rslora = false, layers_to_transform: layers = null } = parsed.data;
  return {
    r,
    alpha,
    rslora,
    layers: typeof layers === 'number' ? [layers] : layers,
    targets: targetsOf(path, parsed.data.target_modules),
  };
}

/**
 * The text of `adapter_config.json` as PEFT's `save_pretrained` writes it, all that a reader needs spelled out: PEFT's own
 * defaults are other ones.
 */
export function peftConfigText({ r, alpha, rslora, pairs }: Adapter, base: string): string {
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    r,
    lora_alpha: alpha,
    lora_dropout: 0,
    bias: 'none',
    target_modules: TARGETS.filter((target) => pairs.some((pair) => pair.target === target)),
    base_model_name_or_path: base,
    inference_mode: true,
    fan_in_fan_out: false,
    use_rslora: rslora,
    use_dora: false,
    modules_to_save: null,
    rank_pattern: {},
    alpha_pattern: {},
    init_lora_weights: true,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
