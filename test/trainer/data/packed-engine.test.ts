import assert from 'node:assert/strict';
import type { Example } from '../../../python-free-trainer/src/data/conversation.ts';
import { packExamples, packMembers, toBatch } from '../../../python-free-trainer/src/data/packing.ts';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { openGolden } from '../golden/open.ts';
import { relativeDistance } from '../support/compare.ts';
import { type Learner, trainedNumbers } from '../support/learner.ts';
import { familyExamples } from './made-examples.ts';

const VOCABULARY = 320;

/** Families of examples that share 40 tokens, of which two share 40 more with each other. */
function examples(seed: number): Example[] {
  return familyExamples({ families: 3, each: 4, shared: 40, own: 30, answer: 12, vocab: VOCABULARY, seed });
}

/** Loss, log-probabilities of each example and gradients of a step, packed in a way. */
async function learn(
  learner: Learner,
  step: readonly Example[],
  options: { packTokens: number; sharePrefixes: boolean },
) {
  const packs = packExamples(step, options);
  const batches = packs.map((pack) => toBatch(step, pack));
  const objective = sftObjective(batches.reduce((sum, { targets }) => sum + targets.length, 0));
  const ofExample: number[][] = step.map(() => []);
  let loss = 0;
  for (const [index, batch] of batches.entries()) {
    const members = packMembers(packs[index] ?? { groups: [], size: 0 });
    const result = await learner.engine.accumulate(batch, objective);
    loss += result.loss;
    for (const [place, logProb] of result.logProbs.entries())
      ofExample[members[batch.examples[place] ?? -1] ?? -1]?.push(logProb);
  }
  const gradients = [...(await trainedNumbers(learner, 'gradient')).values()];
  await learner.engine.update({ lr: 0, betas: [0, 0], eps: 1, weightDecay: 0, clip: null });
  return { loss, ofExample, gradients, rows: packs.reduce((sum, { size }) => sum + size, 0), packs: packs.length };
}

describe('packed examples on a model', () => {
  it('leave each other alone: with other neighbours an example has the same log-probabilities, bit for bit', async () => {
    const learner = await openGolden();
    const step = examples(1);
    const options = { packTokens: 400, sharePrefixes: false };
    const { ofExample, packs } = await learn(learner, step, options);
    assert.ok(packs < step.length / 2);
    for (const changed of [0, 5, 11]) {
      const others = step.map((one, index) =>
        index === changed ? { ...one, tokens: one.tokens.map((id) => (id + 7) % VOCABULARY) } : one,
      );
      const after = await learn(learner, others, options);
      for (const [index, logProbs] of ofExample.entries())
        if (index === changed) assert.notDeepEqual(after.ofExample[index], logProbs);
        else assert.deepEqual(after.ofExample[index], logProbs);
    }
    await learner.engine.close();
  });

  for (const [precision, float64, reach] of [
    ['single', false, 1e-5],
    ['double', true, 1e-13],
  ] as const)
    it(`have the loss and gradients of the plain form where they share beginnings, in ${precision} precision`, async () => {
      const learner = await openGolden({ float64 });
      const step = examples(2);
      const plain = await learn(learner, step, { packTokens: 200, sharePrefixes: false });
      for (const packTokens of [150, 1000]) {
        const shared = await learn(learner, step, { packTokens, sharePrefixes: true });
        assert.ok(shared.rows < 0.8 * plain.rows, `${shared.rows} of ${plain.rows} rows`);
        assert.ok(Math.abs(shared.loss / plain.loss - 1) < reach, `${shared.loss} for ${plain.loss}`);
        for (const [index, logProbs] of plain.ofExample.entries())
          assert.ok(relativeDistance(shared.ofExample[index] ?? [], logProbs) < reach);
        for (const [index, gradient] of plain.gradients.entries())
          assert.ok(relativeDistance(shared.gradients[index] ?? [], gradient) < reach);
      }
      await learner.engine.close();
    });
});
