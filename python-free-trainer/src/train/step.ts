import { setImmediate as turn } from 'node:timers/promises';
import type { PackedBatch } from '../data/batch.ts';
import type { Example } from '../data/conversation.ts';
import { type Pack, packExamples, toBatch } from '../data/packing.ts';
import type { Engine, UpdateSettings } from '../engine/engine.ts';
import { sftObjective } from '../loss/sft.ts';

/** What one optimiser step came to. */
export interface StepResult {
  /** Mean cross-entropy in nats over the loss tokens of the global batch. */
  loss: number;
  gradNorm: number;
  tokens: number;
  plainTokens: number;
  lossTokens: number;
  /** Useful floating-point operations. */
  flops: number;
}

/** A micro-batch of a step: its pack of the step's examples, and log-probabilities of its targets as far as known. */
export interface MicroBatch {
  pack: Pack;
  batch: PackedBatch;
  logProbs: Float64Array | null;
}

/** The micro-batches of a step, in the order in which they are computed. */
export function microBatches(
  examples: readonly Example[],
  options: { packTokens: number; sharePrefixes: boolean },
): MicroBatch[] {
  return packExamples(examples, options).map((pack) => ({ pack, batch: toBatch(examples, pack), logProbs: null }));
}

/**
 * One optimiser step: gradients of all micro-batches, then one update. Each token weighs the same, however the examples
 * are packed: the loss is divided by the loss tokens of the whole step.
 *
 * @param micro gets the log-probabilities of each micro-batch as they are known, also where this throws
 * @param isStopped asked between micro-batches; where it says true, the step is given up and nothing is learned
 * @returns null where it was given up
 * @throws AppError `non_finite_loss`, `non_finite_gradient`; nothing is learned then
 */
export async function trainStep(
  engine: Engine,
  micro: MicroBatch[],
  settings: UpdateSettings,
  isStopped: () => boolean,
): Promise<StepResult | null> {
  const lossTokens = micro.reduce((sum, { batch }) => sum + batch.targets.length, 0);
  const objective = sftObjective(lossTokens);
  const total = { loss: 0, tokens: 0, plainTokens: 0, flops: 0 };
  for (const part of micro) {
    // Signals and messages are heard between packs: a pack may keep this thread for seconds.
    await turn();
    if (isStopped()) return null;
    const { batch } = part;
    const { loss, logProbs } = await engine.accumulate(batch, objective);
    part.logProbs = logProbs;
    total.loss += loss;
    total.tokens += batch.tokens.length;
    total.plainTokens += batch.plainTokens;
    total.flops += engine.flops(batch);
  }
  const { gradNorm } = await engine.update(settings);
  return { ...total, gradNorm, lossTokens };
}
