import { Random } from '../../../src/core/score/statistics/random.ts';
import type { PackedBatch } from '../data/batch.ts';
import { createEngine } from '../engine/create.ts';
import type { WeightSource } from '../io/weight-source.ts';
import { sftObjective } from '../loss/sft.ts';
import type { ModelConfig } from '../model/config.ts';

/** What the self-test came to. */
export interface SelfTest {
  ok: boolean;
  /** Loss before and after one step, and what they have to be. */
  losses: [number, number];
  expected: [number, number];
  /** For people, and the speed of matrix products in FLOP/s. */
  device: string;
  flops: number | null;
}

/** Computed in float64 by this trainer's engine, which its tests compare with PyTorch. */
export const EXPECTED_LOSSES: [number, number] = [5.212266765747, 4.758918467895];
/** float32 against float64 over a few thousand additions. */
const TOLERANCE = 1e-4;

const MODEL: ModelConfig = {
  architecture: 'qwen3',
  hidden: 32,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 8,
  ffn: 48,
  vocab: 64,
  tied: true,
  ropeTheta: 10_000,
  ropeScaling: null,
  rmsEps: 1e-6,
  qkvBias: false,
  qkNorm: true,
  maxPositions: 64,
};
const LORA = { r: 4, alpha: 8, rslora: false, targets: ['q_proj', 'v_proj', 'down_proj'] as const };
const UPDATE = { lr: 0.02, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0, clip: 1 } as const;
const LENGTH = 24;

function shapes({ hidden, layers, heads, kvHeads, headDim, ffn, vocab }: ModelConfig): Map<string, number[]> {
  const found = new Map<string, number[]>([
    ['model.embed_tokens.weight', [vocab, hidden]],
    ['model.norm.weight', [hidden]],
  ]);
  for (let layer = 0; layer < layers; layer++) {
    const at = (name: string, shape: number[]) => found.set(`model.layers.${layer}.${name}.weight`, shape);
    at('input_layernorm', [hidden]);
    at('post_attention_layernorm', [hidden]);
    at('self_attn.q_norm', [headDim]);
    at('self_attn.k_norm', [headDim]);
    at('self_attn.q_proj', [heads * headDim, hidden]);
    at('self_attn.k_proj', [kvHeads * headDim, hidden]);
    at('self_attn.v_proj', [kvHeads * headDim, hidden]);
    at('self_attn.o_proj', [hidden, heads * headDim]);
    at('mlp.gate_proj', [ffn, hidden]);
    at('mlp.up_proj', [ffn, hidden]);
    at('mlp.down_proj', [hidden, ffn]);
  }
  return found;
}

/** A tiny model whose weights a seed decides: numbers in [-0.5, 0.5), norms around 1. */
function tinySource(): WeightSource {
  const all = shapes(MODEL);
  const random = new Random(1);
  const tensors = new Map(
    [...all].map(([name, shape]) => {
      const size = shape.reduce((product, one) => product * one, 1);
      const middle = name.includes('norm') ? 1 : 0;
      return [name, Float32Array.from({ length: size }, () => middle + random.uint32() / 2 ** 32 - 0.5)];
    }),
  );
  return {
    config: MODEL,
    name: 'self-test',
    file: { path: '', sha256: '', bytes: 0 },
    container: 'safetensors',
    types: { F32: all.size },
    shapes: all,
    read: (name, into) => {
      const values = tensors.get(name) ?? new Float32Array();
      into?.set(values);
      return Promise.resolve(into ?? values.slice());
    },
    close: () => Promise.resolve(),
  };
}

function batch(): PackedBatch {
  const random = new Random(2);
  const tokens = Int32Array.from({ length: LENGTH + 1 }, () => random.below(MODEL.vocab));
  const rows = Int32Array.from({ length: LENGTH }, (_, row) => row);
  return {
    tokens: tokens.subarray(0, LENGTH),
    positions: rows,
    segments: [{ start: 0, length: LENGTH, parent: -1 }],
    lossRows: rows,
    targets: tokens.subarray(1),
    examples: new Int32Array(LENGTH),
    exampleCount: 1,
    plainTokens: LENGTH,
  };
}

/**
 * Trains a tiny model for one step and compares its loss before and after with the known ones.
 * @param float64 twice the precision
 * @throws what the engine throws
 */
export async function selfTest(device: 'cpu' | 'cuda' = 'cpu', float64 = false): Promise<SelfTest> {
  const lora = { ...LORA, targets: [...LORA.targets] };
  const source = tinySource();
  const engine = await createEngine({ device, source, lora, adapter: null, seed: 3, threads: null, float64 });
  try {
    const one = batch();
    const objective = sftObjective(LENGTH);
    const { loss: before } = await engine.accumulate(one, objective);
    await engine.update(UPDATE);
    const { logProbs } = await engine.evaluate(one);
    const { loss: after } = objective(logProbs, one);
    const losses: [number, number] = [before, after];
    const ok = losses.every((loss, index) => Math.abs(loss - (EXPECTED_LOSSES[index] ?? 0)) <= TOLERANCE * loss);
    const { name, peakFlops } = engine.info;
    return { ok, losses, expected: EXPECTED_LOSSES, device: name, flops: peakFlops };
  } finally {
    await engine.close();
  }
}
