import type { PackedBatch } from '../data/batch.ts';
import type { Objective } from '../engine/engine.ts';
import { sumByExample } from './sums.ts';

/**
 * How the losses of tokens become one number: the mean over sequences of each one's mean (GRPO, arXiv 2402.03300), the mean
 * over all tokens (DAPO, arXiv 2503.14476), or the sum over a constant, sequences · longest completion (Dr. GRPO, arXiv
 * 2503.20783). All counts are of the whole global batch.
 */
export type GrpoReduction =
  | { kind: 'sequence_mean'; sequences: number }
  | { kind: 'token_mean'; tokens: number }
  | { kind: 'constant'; sequences: number; longest: number };

export interface GrpoSettings {
  /** The ratio is cut below 1 - clipLow and above 1 + clipHigh; DAPO's clip-higher is 0.2 and 0.28. */
  clipLow: number;
  clipHigh: number;
  /** Weight of the divergence from the reference; 0: none. */
  kl: number;
  reduction: GrpoReduction;
}

/** What the sampler gave for a micro-batch. */
export interface GrpoSamples {
  /** Of each example, [examples]. */
  advantages: Float64Array;
  /** Log-probability of each target when it was sampled, [loss positions]. */
  oldLogProbs: Float64Array;
  /** The same under the reference; needed where `kl` is above 0. */
  referenceLogProbs: Float64Array | null;
}

/** Per target of a micro-batch, [loss positions]. */
export interface GrpoTokens {
  /** exp(new - old). */
  ratio: Float64Array;
  /** 1 where the clip cuts the gradient off. */
  clipped: Uint8Array;
  /** k3 estimate of the divergence from the reference; zeros without one. */
  kl: Float64Array;
  loss: Float64Array;
  /** d loss / d log-probability. */
  slope: Float64Array;
}

/**
 * The clipped surrogate of PPO (arXiv 1707.06347) with an advantage a per sequence and the ratio r of each token:
 * -min(r a, clip(r, 1 - clipLow, 1 + clipHigh) a) + kl · k3, k3 = exp(d) - d - 1 with d = reference - new (J. Schulman,
 * Approximating KL divergence, 2020).
 */
export function grpoTokens(
  logProbs: Float64Array,
  batch: PackedBatch,
  samples: GrpoSamples,
  settings: Pick<GrpoSettings, 'clipLow' | 'clipHigh' | 'kl'>,
): GrpoTokens {
  const count = logProbs.length;
  const tokens: GrpoTokens = {
    ratio: new Float64Array(count),
    clipped: new Uint8Array(count),
    kl: new Float64Array(count),
    loss: new Float64Array(count),
    slope: new Float64Array(count),
  };
  for (let index = 0; index < count; index++) {
    const value = logProbs[index] ?? 0;
    const advantage = samples.advantages[batch.examples[index] ?? 0] ?? 0;
    const ratio = Math.exp(value - (samples.oldLogProbs[index] ?? 0));
    const bounded = Math.min(Math.max(ratio, 1 - settings.clipLow), 1 + settings.clipHigh);
    const clipped = bounded * advantage < ratio * advantage;
    const distance = samples.referenceLogProbs === null ? 0 : (samples.referenceLogProbs[index] ?? 0) - value;
    tokens.ratio[index] = ratio;
    tokens.clipped[index] = clipped ? 1 : 0;
    tokens.kl[index] = Math.expm1(distance) - distance;
    tokens.loss[index] = -Math.min(ratio * advantage, bounded * advantage) + settings.kl * (tokens.kl[index] ?? 0);
    tokens.slope[index] = (clipped ? 0 : -ratio * advantage) - settings.kl * Math.expm1(distance);
  }
  return tokens;
}

/** The loss of the GRPO family over a micro-batch: the tokens of `grpoTokens`, reduced as the settings say. */
export function grpoObjective(samples: GrpoSamples, settings: GrpoSettings): Objective {
  return (logProbs, batch) => {
    const tokens = grpoTokens(logProbs, batch, samples, settings);
    const lengths = sumByExample(logProbs, batch).tokens;
    const gradient = new Float64Array(logProbs.length);
    let loss = 0;
    for (let index = 0; index < gradient.length; index++) {
      const weight = tokenWeight(settings.reduction, lengths[batch.examples[index] ?? 0] ?? 1);
      loss += weight * (tokens.loss[index] ?? 0);
      gradient[index] = weight * (tokens.slope[index] ?? 0);
    }
    return { loss, gradient };
  };
}

function tokenWeight(reduction: GrpoReduction, length: number): number {
  if (reduction.kind === 'sequence_mean') return 1 / (reduction.sequences * length);
  if (reduction.kind === 'token_mean') return 1 / reduction.tokens;
  return 1 / (reduction.sequences * reduction.longest);
}
