import type { ModelConfig } from '../model/config.ts';
import { modelUnreadable } from './errors.ts';

const SIZES = ['hidden', 'layers', 'heads', 'kvHeads', 'headDim', 'ffn', 'vocab', 'maxPositions'] as const;

/** Larger than any size of any model; a size above it is damage. */
const LARGEST_SIZE = 1 << 24;

/** @throws AppError `model_unreadable` where sizes are absurd or do not fit each other */
export function checkConfig(path: string, config: ModelConfig): void {
  for (const name of SIZES)
    if (!Number.isInteger(config[name]) || config[name] < 1 || config[name] > LARGEST_SIZE)
      throw modelUnreadable(path, `its configuration says ${config[name]} for ${name}`);
  if (config.heads % config.kvHeads !== 0)
    throw modelUnreadable(path, `its ${config.heads} heads cannot share ${config.kvHeads} key-value heads`);
  if (config.headDim % 2 !== 0)
    throw modelUnreadable(path, `its heads have ${config.headDim} elements, which cannot be rotated in pairs`);
  if (!(config.rmsEps > 0 && config.rmsEps < 0.1))
    throw modelUnreadable(path, `its configuration says ${config.rmsEps} for the epsilon of its norms`);
  if (!(config.ropeTheta >= 1 && config.ropeTheta <= 1e12))
    throw modelUnreadable(path, `its configuration says ${config.ropeTheta} for the base of its rotation`);
  if (config.ropeFactors?.some((factor) => !(factor >= 0.001 && factor <= 10_000)))
    throw modelUnreadable(path, 'the factors of its rotation are absurd');
}
