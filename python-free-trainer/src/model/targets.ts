import { LoraTarget } from '../../../src/protocol/training.ts';
import type { ModelConfig } from './config.ts';

/** The four matrix products of a block; q, k and v are computed as one, so are gate and up. */
export type ProjectionName = 'qkv' | 'output' | 'gateUp' | 'down';

/** Where a linear layer lies: in which product, from which column of its output on, and its size. */
export interface TargetPlace {
  projection: ProjectionName;
  from: number;
  in: number;
  out: number;
}

/** All linear layers of a block in the order of adapters. */
export const TARGETS: readonly LoraTarget[] = LoraTarget.options;

/** The linear layers of each product, in the order of their rows. */
export const MEMBERS: Readonly<Record<ProjectionName, readonly LoraTarget[]>> = {
  qkv: ['q_proj', 'k_proj', 'v_proj'],
  output: ['o_proj'],
  gateUp: ['gate_proj', 'up_proj'],
  down: ['down_proj'],
};

/** Place and size of one linear layer in a model of this shape. */
export function targetPlace(config: ModelConfig, target: LoraTarget): TargetPlace {
  const query = config.heads * config.headDim;
  const keys = config.kvHeads * config.headDim;
  const { hidden, ffn } = config;
  switch (target) {
    case 'q_proj':
      return { projection: 'qkv', from: 0, in: hidden, out: query };
    case 'k_proj':
      return { projection: 'qkv', from: query, in: hidden, out: keys };
    case 'v_proj':
      return { projection: 'qkv', from: query + keys, in: hidden, out: keys };
    case 'o_proj':
      return { projection: 'output', from: 0, in: query, out: hidden };
    case 'gate_proj':
      return { projection: 'gateUp', from: 0, in: hidden, out: ffn };
    case 'up_proj':
      return { projection: 'gateUp', from: ffn, in: hidden, out: ffn };
    case 'down_proj':
      return { projection: 'down', from: 0, in: ffn, out: hidden };
  }
}

/** Hugging Face's name of a linear layer without `.weight`, e.g. `model.layers.3.self_attn.q_proj`. */
export function targetName(layer: number, target: LoraTarget): string {
  const block = MEMBERS.qkv.includes(target) || target === 'o_proj' ? 'self_attn' : 'mlp';
  return `model.layers.${layer}.${block}.${target}`;
}
