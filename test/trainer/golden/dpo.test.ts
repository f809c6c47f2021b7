import { strict as assert } from 'node:assert';
import {
  type DpoSettings,
  dpoObjective,
  dpoOutcomes,
  type PreferencePair,
} from '../../../python-free-trainer/src/loss/dpo.ts';
import { sumByExample } from '../../../python-free-trainer/src/loss/sums.ts';
import { trainedNumbers } from '../support/learner.ts';
import { openGolden } from './open.ts';
import { ofTargets, packPadded, readScalars, readVectors } from './vectors.ts';
import { Worst } from './worst.ts';

const COLUMNS = 20;
const scalars = readScalars().dpo;
const settings: DpoSettings = {
  beta: scalars.beta,
  labelSmoothing: 0,
  smoothing: 'conservative',
  pairs: 3,
  sft: null,
};

describe('direct preference optimisation of the tiny model equals PyTorch', () => {
  const worst = new Worst();
  after(() => worst.print());

  it('in log-probabilities of policy and reference, rewards, margins, loss and gradients', async () => {
    const learner = await openGolden();
    const vectors = await readVectors('dpo.safetensors');
    const batch = packPadded(vectors, COLUMNS);
    const bare = await learner.engine.evaluate(batch, { adapter: false });
    const reference = sumByExample(bare.logProbs, batch).logProbs;
    worst.compare('reference', reference, vectors.floats('ref_logps'));
    worst.compare('reference', reference, scalars.ref_logps);
    const pairs = [0, 1, 2].map(
      (chosen): PreferencePair => ({
        chosen,
        rejected: chosen + 3,
        chosenReference: reference[chosen] ?? Number.NaN,
        rejectedReference: reference[chosen + 3] ?? Number.NaN,
      }),
    );
    const { logProbs, loss } = await learner.engine.accumulate(batch, dpoObjective(pairs, settings));
    worst.compare('policy by token', logProbs, ofTargets(vectors.floats('policy_token_logps'), vectors, COLUMNS));
    worst.compare('policy', sumByExample(logProbs, batch).logProbs, vectors.floats('policy_logps'));
    worst.compare('policy', sumByExample(logProbs, batch).logProbs, scalars.policy_logps);
    const outcomes = dpoOutcomes(logProbs, batch, pairs, settings);
    const rewards = [...outcomes.map((pair) => pair.chosenReward), ...outcomes.map((pair) => pair.rejectedReward)];
    worst.compare('rewards', rewards, vectors.floats('rewards'));
    const margins = outcomes.map((pair) => pair.margin);
    worst.compare('margins', margins, vectors.floats('margin'));
    worst.compare('margins', margins, scalars.margin);
    worst.compare('loss', [loss, loss], [vectors.floats('loss')[0] ?? Number.NaN, scalars.loss]);
    worst.compareAll('grad.', await trainedNumbers(learner, 'gradient'), vectors.floats);
    const off = { lr: 0, betas: [0, 0], eps: 1, weightDecay: 0, clip: null } as const;
    worst.compare('gradient norm', [(await learner.engine.update(off)).gradNorm], [scalars.grad_norm]);
    assert.equal(outcomes.length, 3);
    await learner.engine.close();
  });
});
