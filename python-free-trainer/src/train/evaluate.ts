import { setImmediate as turn } from 'node:timers/promises';
import type { Example } from '../data/conversation.ts';
import { packExamples, packMembers, toBatch } from '../data/packing.ts';
import type { Engine } from '../engine/engine.ts';

/** How well a model predicts examples. */
export interface Evaluation {
  /** Mean cross-entropy in nats over all loss tokens. */
  loss: number;
  /** Share of the loss tokens that are the most likely one. */
  accuracy: number;
  lossTokens: number;
  /** Of each example: the sum of its tokens' losses in nats, and how many there are. */
  examples: { loss: number; lossTokens: number }[];
}

export interface EvaluateOptions {
  packTokens: number;
  sharePrefixes: boolean;
  /** false: the base model alone. */
  adapter?: boolean;
  /** Asked between packs; where it says true, the evaluation is given up. */
  isStopped?: () => boolean;
}

/**
 * Measures a model on examples; nothing is learned.
 * @returns null where it was given up
 */
export async function evaluateExamples(
  engine: Engine,
  examples: readonly Example[],
  { packTokens, sharePrefixes, adapter = true, isStopped = () => false }: EvaluateOptions,
): Promise<Evaluation | null> {
  const found = examples.map(() => ({ loss: 0, lossTokens: 0 }));
  let [sum, correct, count] = [0, 0, 0];
  for (const pack of packExamples(examples, { packTokens, sharePrefixes })) {
    // Signals and messages are heard between packs: a pack may keep this thread for seconds.
    await turn();
    if (isStopped()) return null;
    const batch = toBatch(examples, pack);
    const members = packMembers(pack);
    const result = await engine.evaluate(batch, { adapter });
    correct += result.correct;
    count += result.logProbs.length;
    for (const [index, logProb] of result.logProbs.entries()) {
      sum -= logProb;
      const example = found[members[batch.examples[index] ?? -1] ?? -1];
      if (!example) continue;
      example.loss -= logProb;
      example.lossTokens += 1;
    }
  }
  return { loss: sum / count, accuracy: correct / count, lossTokens: count, examples: found };
}
