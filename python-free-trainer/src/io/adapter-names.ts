import { LoraTarget } from '../../../src/protocol/training.ts';
import type { ModelConfig } from '../model/config.ts';

/** The linear layers in their order, as adapters list them. */
export const TARGETS: readonly LoraTarget[] = LoraTarget.options;

const MODULES: Record<LoraTarget, { huggingFace: string; gguf: string }> = {
  q_proj: { huggingFace: 'self_attn.q_proj', gguf: 'attn_q' },
  k_proj: { huggingFace: 'self_attn.k_proj', gguf: 'attn_k' },
  v_proj: { huggingFace: 'self_attn.v_proj', gguf: 'attn_v' },
  o_proj: { huggingFace: 'self_attn.o_proj', gguf: 'attn_output' },
  gate_proj: { huggingFace: 'mlp.gate_proj', gguf: 'ffn_gate' },
  up_proj: { huggingFace: 'mlp.up_proj', gguf: 'ffn_up' },
  down_proj: { huggingFace: 'mlp.down_proj', gguf: 'ffn_down' },
};

/** One of the two factors of a LoRA. */
export interface Factor {
  layer: number;
  target: LoraTarget;
  side: 'a' | 'b';
}

/** Name of a linear layer's weight in Hugging Face's models. */
export function weightName(layer: number, target: LoraTarget): string {
  return `model.layers.${layer}.${MODULES[target].huggingFace}.weight`;
}

/** Name in a PEFT folder's `adapter_model.safetensors`. */
export function peftName({ layer, target, side }: Factor): string {
  return `base_model.model.model.layers.${layer}.${MODULES[target].huggingFace}.lora_${side.toUpperCase()}.weight`;
}

/** Name in a GGUF adapter. */
export function ggufName({ layer, target, side }: Factor): string {
  return `blk.${layer}.${MODULES[target].gguf}.weight.lora_${side}`;
}

/** The factor that `name` means in the spelling of `nameOf`, or null. */
export function factorOf(name: string, nameOf: (factor: Factor) => string): Factor | null {
  const layer = Number(/\.(0|[1-9]\d{0,4})\./.exec(name)?.[1] ?? Number.NaN);
  for (const target of TARGETS)
    for (const side of ['a', 'b'] as const) {
      const factor = { layer, target, side };
      if (nameOf(factor) === name) return factor;
    }
  return null;
}

/** Width of what a linear layer reads and of what it gives, in elements. */
export function linearShape(config: ModelConfig, target: LoraTarget): { in: number; out: number } {
  const { hidden, ffn } = config;
  const query = config.heads * config.headDim;
  const keys = config.kvHeads * config.headDim;
  const shapes: Record<LoraTarget, [number, number]> = {
    q_proj: [hidden, query],
    k_proj: [hidden, keys],
    v_proj: [hidden, keys],
    o_proj: [query, hidden],
    gate_proj: [hidden, ffn],
    up_proj: [hidden, ffn],
    down_proj: [ffn, hidden],
  };
  const [input, output] = shapes[target];
  return { in: input, out: output };
}
