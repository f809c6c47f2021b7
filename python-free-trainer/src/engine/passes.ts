import type { PackedBatch } from '../data/batch.ts';
import { backward } from '../model/backward.ts';
import { forward, type Pass } from '../model/forward.ts';
import type { BatchResult, Objective, ObjectiveValue } from './engine.ts';
import { nonFiniteLoss } from './errors.ts';

/** An objective that may be computed elsewhere. */
export interface PassObjective extends Pick<Objective, 'constantGradient'> {
  (logProbs: Float64Array, batch: PackedBatch): ObjectiveValue | Promise<ObjectiveValue>;
}

/** The kinds of passes: each takes memory in an order of its own. */
export type PassKind = 'learn' | 'learn from constants' | 'evaluate' | 'evaluate base';

/** The kind of the pass in which an objective is learned from. */
export function learningKind({ constantGradient }: PassObjective): PassKind {
  return constantGradient === undefined ? 'learn' : 'learn from constants';
}

/**
 * Forward and backward of a pack; adds to the gradients of its adapters.
 *
 * @param watch told when the forward pass and the head are done
 * @throws AppError `non_finite_loss`, with nothing added
 */
export async function learn(
  pass: Pass,
  objective: PassObjective,
  temperature: number,
  watch: (done: 'forward' | 'head') => void = () => undefined,
): Promise<BatchResult & { loss: number }> {
  const { backend, batch, scope, weights } = pass;
  const kept = forward(pass, true);
  watch('forward');
  const { hidden } = kept;
  const dHidden = scope.tensor(hidden.rows, hidden.cols);
  const at = [hidden, weights.head, batch.lossRows, batch.targets, temperature] as const;
  const constant = objective.constantGradient?.(batch);
  if (constant !== undefined) {
    const { logProbs, correct } = await backend.logProbsWithGradient(dHidden, constant, ...at);
    const { loss } = await objective(logProbs, batch);
    if (!Number.isFinite(loss)) throw nonFiniteLoss(loss);
    watch('head');
    backward(pass, kept, dHidden);
    return { logProbs, correct, loss };
  }
  const { logProbs, logSums, correct } = await backend.logProbs(...at);
  const { loss, gradient } = await objective(logProbs, batch);
  if (!Number.isFinite(loss) || !gradient.every(Number.isFinite)) throw nonFiniteLoss(loss);
  backend.logProbsBackward(dHidden, gradient, ...at, logSums);
  watch('head');
  backward(pass, kept, dHidden);
  return { logProbs, correct, loss };
}

/** Forward only. */
export async function evaluate(pass: Pass, temperature: number): Promise<BatchResult> {
  const { backend, batch, weights } = pass;
  const { hidden } = forward(pass, false);
  const at = [hidden, weights.head, batch.lossRows, batch.targets, temperature] as const;
  const { logProbs, correct } = await backend.logProbs(...at);
  return { logProbs, correct };
}
