import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PackedBatch } from '../../../python-free-trainer/src/data/batch.ts';
import { readSafetensors } from '../../../python-free-trainer/src/io/safetensors.ts';
import { packTexts } from '../support/batches.ts';

/** The numbers that PyTorch computed; see the README there. */
export const goldenFolder = fileURLToPath(new URL('../../fixtures/trainer/golden', import.meta.url));

/** A file of tensors, read whole. */
export interface Vectors {
  floats(name: string): Float32Array;
  integers(name: string): Int32Array;
  names: string[];
}

export async function readVectors(file: string): Promise<Vectors> {
  const { tensors } = await readSafetensors(join(goldenFolder, file));
  const of = (name: string) => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new Error(`${file} lacks ${name}`);
    return tensor.data;
  };
  return {
    floats: (name) => of(name) as Float32Array,
    integers: (name) => of(name) as Int32Array,
    names: [...tensors.keys()],
  };
}

/** The scalars of all of them. */
export function readScalars(): GoldenScalars {
  return JSON.parse(readFileSync(join(goldenFolder, 'golden.json'), 'utf8')) as GoldenScalars;
}

interface OptimiserScalars {
  losses_before_each_step_and_after: number[];
  grad_norms_before_clipping: number[];
}

export interface GoldenScalars {
  sft: { loss: number; n_loss_tokens: number; grad_norm: number; loss_float64: number };
  adamw: OptimiserScalars;
  adamw_clip1: OptimiserScalars;
  dpo: {
    beta: number;
    loss: number;
    policy_logps: number[];
    ref_logps: number[];
    margin: number[];
    grad_norm: number;
  };
  grpo: Record<'sequence_mean' | 'token_mean' | 'constant', { loss: number; grad_norm: number }> & {
    eps: number;
    n_tokens: number;
    n_clipped: number;
  };
  greedy: Record<'adapter' | 'base', { prompt: number[]; completion: number[] }>;
}

/** The rows of a padded batch as one pack, each an example of its own; -100 in the labels carries no loss. */
export function packPadded(vectors: Vectors, columns: number): PackedBatch {
  const [ids, labels, mask] = ['input_ids', 'labels', 'attention_mask'].map((name) => vectors.integers(name)) as [
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  const texts = [];
  for (let start = 0; start < ids.length; start += columns) {
    const length = mask.subarray(start, start + columns).reduce((sum, value) => sum + value, 0);
    const tokens = ids.subarray(start, start + length);
    texts.push({
      tokens: [...tokens],
      loss: [...labels.subarray(start, start + length)].map((label) => label !== -100),
    });
  }
  return packTexts(texts);
}

/** The entries of a [rows, columns - 1] array that belong to targets: those whose label is not -100. */
export function ofTargets(values: ArrayLike<number>, vectors: Vectors, columns: number): number[] {
  const labels = vectors.integers('labels');
  const picked: number[] = [];
  for (let start = 0; start < labels.length; start += columns)
    for (let column = 1; column < columns; column++)
      if (labels[start + column] !== -100)
        picked.push(values[(start / columns) * (columns - 1) + column - 1] ?? Number.NaN);
  return picked;
}
