import { strict as assert } from 'node:assert';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { trainedNumbers } from '../support/learner.ts';
import { openGolden } from './open.ts';
import { packPadded, readScalars, readVectors } from './vectors.ts';
import { Worst } from './worst.ts';

const scalars = readScalars();
const COLUMNS = 24;

/** Three steps on the batch of `sft.safetensors`; `after` is called after each. */
async function threeSteps(
  clip: number | null,
  after: (step: number, learner: Awaited<ReturnType<typeof openGolden>>) => Promise<void>,
) {
  const learner = await openGolden();
  const { engine } = learner;
  const batch = packPadded(await readVectors('sft.safetensors'), COLUMNS);
  const objective = sftObjective(scalars.sft.n_loss_tokens);
  const losses: number[] = [];
  const norms: number[] = [];
  for (let step = 1; step <= 3; step++) {
    losses.push((await engine.accumulate(batch, objective)).loss);
    const settings = { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01, clip } as const;
    norms.push((await engine.update(settings)).gradNorm);
    await after(step, learner);
  }
  const { logProbs } = await engine.evaluate(batch);
  losses.push(objective(logProbs, batch).loss);
  await engine.close();
  return { losses, norms };
}

describe('AdamW on the tiny model equals torch.optim.AdamW', () => {
  const worst = new Worst();
  after(() => worst.print());

  it('after one step and three, in parameters, moments, losses and norms', async () => {
    const vectors = await readVectors('adamw.safetensors');
    const { losses, norms } = await threeSteps(null, async (step, learner) => {
      if (step === 2) return;
      worst.compareAll(`step${step}.`, await trainedNumbers(learner, 'value'), vectors.floats);
      if (step === 1) return;
      worst.compareAll('step3.exp_avg.', await trainedNumbers(learner, 'first'), vectors.floats);
      worst.compareAll('step3.exp_avg_sq.', await trainedNumbers(learner, 'second'), vectors.floats);
      assert.equal((await learner.engine.optimiser()).step, 3);
    });
    worst.compare('losses', losses, scalars.adamw.losses_before_each_step_and_after);
    worst.compare('gradient norms', norms, scalars.adamw.grad_norms_before_clipping);
  });

  it('with the gradient clipped to a norm of 1', async () => {
    const vectors = await readVectors('adamw_clip1.safetensors');
    const { losses, norms } = await threeSteps(1, async (step, learner) => {
      if (step === 3) worst.compareAll('step3.', await trainedNumbers(learner, 'value'), vectors.floats);
    });
    worst.compare('losses', losses, scalars.adamw_clip1.losses_before_each_step_and_after);
    worst.compare('gradient norms', norms, scalars.adamw_clip1.grad_norms_before_clipping);
  });
});
