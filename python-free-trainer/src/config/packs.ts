import { toWireError } from '../../../src/protocol/errors.ts';
import type { TrainingConfig } from '../../../src/protocol/training.ts';
import type { GivenSettings } from './complete.ts';

/** From here on, in parameters, a GPU is busy with fewer tokens, and their activations are what fills its memory. */
const LARGE = 3e9;
const GPU_TOKENS = 16_384;
const GPU_TOKENS_LARGE = 8192;

/** Whether somebody said how large packs are to be. */
export function namesPacks({ batch }: GivenSettings): boolean {
  return typeof batch === 'object' && batch !== null && 'pack_tokens' in batch && batch.pack_tokens !== undefined;
}

/**
 * Sizes of a pack that suit a device where nobody says one, in tokens, the best first. On a CPU a pack is as fast whatever
 * its size; a GPU is busy with large ones alone, and takes half of what it has no room for.
 * @param least the size that suits any device
 */
export function packSizes(device: 'cpu' | 'cuda', parameters: number, least: number): number[] {
  const sizes = [least];
  if (device === 'cpu') return sizes;
  const most = parameters < LARGE ? GPU_TOKENS : GPU_TOKENS_LARGE;
  for (let tokens = most; tokens > least; tokens /= 2) sizes.push(tokens);
  return sizes.sort((one, other) => other - one);
}

/** The same settings with packs of another size. */
export function withPacks(config: TrainingConfig, tokens: number): TrainingConfig {
  return { ...config, batch: { ...config.batch, pack_tokens: tokens } };
}

/**
 * The first size that there is memory for.
 * @param plan lays out the memory for packs of so many tokens, and tells it
 * @throws AppError `gpu_memory` where there is not enough for the smallest either, and what `plan` throws besides
 */
export async function firstThatFits<T>(
  sizes: readonly number[],
  plan: (tokens: number) => Promise<T>,
): Promise<{ tokens: number; planned: T }> {
  for (const tokens of sizes.slice(0, -1))
    try {
      return { tokens, planned: await plan(tokens) };
    } catch (error) {
      if (toWireError(error).code !== 'gpu_memory') throw error;
    }
  const tokens = sizes.at(-1) ?? 0;
  return { tokens, planned: await plan(tokens) };
}
