import { toWireError, type WireError } from '../../../src/protocol/errors.ts';
import type { Example } from '../data/conversation.ts';
import { packMembers } from '../data/packing.ts';
import type { Engine } from '../engine/engine.ts';
import { replaceFile } from '../io/replace-file.ts';
import type { MicroBatch } from './step.ts';

/** Of one example of a step that failed. */
interface FailedExample {
  /** Place among the examples of the training file that are short enough, from 0. */
  example: number;
  tokens: number[];
  /** Places of the tokens that carry loss, and the loss of each in nats; null: not a finite number, or not known. */
  learned: number[];
  losses: (number | null)[];
}

/** `failed-step.json`: what a step learned from that ended in numbers that are none. */
export interface FailedStep {
  v: 1;
  step: number;
  error: WireError;
  lr: number;
  examples: FailedExample[];
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

/** Log-probabilities of each example's targets, in the order of its tokens. */
function byExample(micro: readonly MicroBatch[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const { pack, batch, logProbs } of micro) {
    const members = packMembers(pack);
    for (const member of members) found.set(member, []);
    for (const [index, logProb] of (logProbs ?? []).entries())
      found.get(members[batch.examples[index] ?? -1] ?? -1)?.push(logProb);
  }
  return found;
}

/** Fills in what the failing step did not get to, as far as the model can be asked for it. */
async function complete(engine: Engine, micro: MicroBatch[]): Promise<void> {
  for (const part of micro) {
    part.logProbs ??= await engine.evaluate(part.batch).then(
      ({ logProbs }) => logProbs,
      () => null,
    );
  }
}

/**
 * Keeps the data of a step that ended in a loss or gradient that is not finite, so that it can be looked at.
 * @param examples of the step
 * @param places of the step's examples in the training file
 * @throws the errors of the file system
 */
export async function keepFailedStep(
  path: string,
  engine: Engine,
  failed: { step: number; error: unknown; lr: number; micro: MicroBatch[]; examples: Example[]; places: number[] },
): Promise<void> {
  await complete(engine, failed.micro);
  const known = byExample(failed.micro);
  const kept: FailedStep = {
    v: 1,
    step: failed.step,
    error: toWireError(failed.error),
    lr: failed.lr,
    examples: failed.examples.map(({ tokens, loss }, index) => {
      const learned = [...loss.keys()].filter((place) => loss[place] === 1);
      const logProbs = known.get(index) ?? [];
      const losses = learned
        .map((_, place) => finite(logProbs[place]))
        .map((value) => (value === null ? null : -value));
      return { example: failed.places[index] ?? -1, tokens: [...tokens], learned, losses };
    }),
  };
  await replaceFile(path, (file) => file.writeFile(`${JSON.stringify(kept)}\n`));
}
