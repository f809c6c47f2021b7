import type { LoraTarget } from '../../../src/protocol/training.ts';
import { TARGETS, targetName } from '../model/targets.ts';
import { toGgufName } from './gguf-names.ts';

/** One of the two factors of a LoRA. */
export interface Factor {
  layer: number;
  target: LoraTarget;
  side: 'a' | 'b';
}

/** Name of a linear layer's weight in Hugging Face's models. */
export function weightName({ layer, target }: Pick<Factor, 'layer' | 'target'>): string {
  return `${targetName(layer, target)}.weight`;
}

/** Name in a PEFT folder's `adapter_model.safetensors`. */
export function peftName({ layer, target, side }: Factor): string {
  return `base_model.model.${targetName(layer, target)}.lora_${side.toUpperCase()}.weight`;
}

/** Name in a GGUF adapter. */
export function ggufName(factor: Factor): string {
  return `${toGgufName(weightName(factor))}.lora_${factor.side}`;
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
