import type { Objective } from '../engine/engine.ts';

/**
 * Cross-entropy of supervised fine-tuning: -(sum of the log-probabilities of the targets) / N, in nats.
 *
 * @param lossTokens N, the targets of the whole global batch, not of one micro-batch: only so do micro-batches of unequal
 * length weigh each token alike (transformers issue 34198)
 */
export function sftObjective(lossTokens: number): Objective {
  const slopes = (count: number) => new Float64Array(count).fill(-1 / lossTokens);
  const objective: Objective = (logProbs) => {
    let sum = 0;
    for (const value of logProbs) sum += value;
    return { loss: -sum / lossTokens, gradient: slopes(logProbs.length) };
  };
  objective.constantGradient = ({ targets }) => slopes(targets.length);
  return objective;
}
