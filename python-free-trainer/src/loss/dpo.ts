import type { PackedBatch } from '../data/batch.ts';
import type { Objective } from '../engine/engine.ts';
import { logSigmoid, sigmoid, sumByExample } from './sums.ts';

/** A preference: two examples of one pack, by their index in it. */
export interface PreferencePair {
  chosen: number;
  rejected: number;
  /** Summed log-probabilities of both under the reference, which is the model with its adapter off. */
  chosenReference: number;
  rejectedReference: number;
}

export interface DpoSettings {
  /** Strength of the pull to the reference; 0.1 is usual. */
  beta: number;
  /** Probability e that a preference is the wrong way round, from 0 to below 0.5. */
  labelSmoothing: number;
  /**
   * What the smoothing does: `conservative` mixes both directions (E. Mitchell, A note on DPO with noisy preferences,
   * 2023), `robust` takes the mixture's bias out again (Chowdhury, Kini, Natarajan, arXiv 2403.00409).
   */
  smoothing: 'conservative' | 'robust';
  /** Pairs of the whole global batch; the loss is their mean. */
  pairs: number;
  /** Cross-entropy of the chosen answers beside it, weight times their mean over `tokens` of the whole global batch. */
  sft: { weight: number; tokens: number } | null;
}

/** What became of one pair. Rewards are beta · (policy - reference). */
export interface PairOutcome {
  chosenLogProb: number;
  rejectedLogProb: number;
  chosenReward: number;
  rejectedReward: number;
  /** chosenReward - rejectedReward; above 0 where the policy agrees with the preference more than the reference does. */
  margin: number;
  /** Of this pair alone, without the cross-entropy. */
  loss: number;
  /** d loss / d margin. */
  slope: number;
}

/**
 * Direct preference optimisation (Rafailov and others, arXiv 2305.18290): with the margin h,
 * plain -log σ(h); conservative -(1 - e) log σ(h) - e log σ(-h); robust (-(1 - e) log σ(h) + e log σ(-h)) / (1 - 2e).
 */
export function dpoOutcomes(
  logProbs: Float64Array,
  batch: PackedBatch,
  pairs: readonly PreferencePair[],
  settings: Pick<DpoSettings, 'beta' | 'labelSmoothing' | 'smoothing'>,
): PairOutcome[] {
  const sums = sumByExample(logProbs, batch).logProbs;
  return pairs.map((pair) => {
    const chosenLogProb = sums[pair.chosen] ?? 0;
    const rejectedLogProb = sums[pair.rejected] ?? 0;
    const chosenReward = settings.beta * (chosenLogProb - pair.chosenReference);
    const rejectedReward = settings.beta * (rejectedLogProb - pair.rejectedReference);
    const margin = chosenReward - rejectedReward;
    return {
      chosenLogProb,
      rejectedLogProb,
      chosenReward,
      rejectedReward,
      margin,
      ...preferenceLoss(margin, settings),
    };
  });
}

function preferenceLoss(
  margin: number,
  { labelSmoothing, smoothing }: Pick<DpoSettings, 'labelSmoothing' | 'smoothing'>,
): { loss: number; slope: number } {
  // log σ has the slope σ(-h) at h, log σ(-h) has -σ(h).
  const right = 1 - labelSmoothing;
  if (smoothing === 'conservative')
    return {
      loss: -right * logSigmoid(margin) - labelSmoothing * logSigmoid(-margin),
      slope: -right * sigmoid(-margin) + labelSmoothing * sigmoid(margin),
    };
  const share = 1 - 2 * labelSmoothing;
  return {
    loss: (-right * logSigmoid(margin) + labelSmoothing * logSigmoid(-margin)) / share,
    slope: (-right * sigmoid(-margin) - labelSmoothing * sigmoid(margin)) / share,
  };
}

/** The loss of DPO over the pairs of a micro-batch, as `dpoOutcomes` defines it, divided by the global batch's pairs. */
export function dpoObjective(pairs: readonly PreferencePair[], settings: DpoSettings): Objective {
  return (logProbs, batch) => {
    const slopes = new Float64Array(batch.exampleCount);
    let loss = 0;
    for (const [index, outcome] of dpoOutcomes(logProbs, batch, pairs, settings).entries()) {
      const pair = pairs[index];
      if (pair === undefined) continue;
      loss += outcome.loss / settings.pairs;
      const slope = (outcome.slope * settings.beta) / settings.pairs;
      slopes[pair.chosen] = (slopes[pair.chosen] ?? 0) + slope;
      slopes[pair.rejected] = (slopes[pair.rejected] ?? 0) - slope;
    }
    const gradient = Float64Array.from(batch.examples, (example) => slopes[example] ?? 0);
    if (settings.sft !== null) loss += addCrossEntropy(gradient, logProbs, batch, pairs, settings.sft);
    return { loss, gradient };
  };
}

function addCrossEntropy(
  gradient: Float64Array,
  logProbs: Float64Array,
  batch: PackedBatch,
  pairs: readonly PreferencePair[],
  { weight, tokens }: { weight: number; tokens: number },
): number {
  const chosen = new Set(pairs.map((pair) => pair.chosen));
  let loss = 0;
  for (const [index, example] of batch.examples.entries()) {
    if (!chosen.has(example)) continue;
    loss -= (weight * (logProbs[index] ?? 0)) / tokens;
    gradient[index] = (gradient[index] ?? 0) - weight / tokens;
  }
  return loss;
}
