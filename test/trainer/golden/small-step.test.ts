import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { freshAdapter } from '../../../python-free-trainer/src/model/lora.ts';
import { TARGETS } from '../../../python-free-trainer/src/model/targets.ts';
import { readyModelFiles } from '../../../src/runtime/model/model-files.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { answerAfter, packTexts } from '../support/batches.ts';
import { type Learner, openLearner, trainedNumbers } from '../support/learner.ts';
import { goldenFolder } from './vectors.ts';

/** Three steps of torch on the bundled model, see the README there. */
interface SmallStep {
  items: { prompt_ids: number[]; answer_ids: number[] }[];
  r: number;
  scale: number;
  lr: number;
  betas: [number, number];
  eps: number;
  weight_decay: number;
  losses: number[];
  grad_norms: number[];
  per_item_first: number[];
  tokens: number;
  grad_norm_by_tensor_first_step: Record<string, number>;
}

const golden = JSON.parse(readFileSync(join(goldenFolder, 'small_step.json'), 'utf8')) as SmallStep;

/** Losses may differ by this much from torch's; norms of gradients by this share. */
const LOSS_TOLERANCE = 1e-3;
const NORM_TOLERANCE = 1e-3;

async function openSmall(storage: string): Promise<Learner> {
  const { base } = await readyModelFiles('small', storage);
  const source = await openWeights(base);
  const { r, scale } = golden;
  const adapter = freshAdapter(source.config, { r, alpha: r * scale, rslora: false, targets: TARGETS }, 0);
  for (const { a } of adapter.pairs) for (const index of a.keys()) a[index] = 0.02 * Math.sin(0.7 + 1.3 * index);
  const learner = await openLearner({ source, adapter, threads: 2 });
  await source.close();
  return learner;
}

const batch = packTexts(
  golden.items.map(({ prompt_ids, answer_ids }) => answerAfter(prompt_ids.length, [...prompt_ids, ...answer_ids])),
);
const objective = sftObjective(golden.tokens);

async function normByTensor(learner: Learner): Promise<Map<string, number>> {
  const norms = new Map<string, number>();
  for (const [name, gradient] of await trainedNumbers(learner, 'gradient')) {
    let squares = 0;
    for (const value of gradient) squares += value ** 2;
    norms.set(name.replace('.weight', ''), Math.sqrt(squares));
  }
  return norms;
}

function within(ours: number, theirs: number, share: number): boolean {
  return Math.abs(ours - theirs) <= share * Math.max(theirs, 1e-6);
}

/** Loss of each item and norms of single gradients, before anything was learned. */
async function checkFirst(learner: Learner, logProbs: Float64Array): Promise<void> {
  for (const [item, theirs] of golden.per_item_first.entries()) {
    const values = logProbs.filter((_, index) => batch.examples[index] === item);
    const ours = -values.reduce((sum, value) => sum + value, 0) / values.length;
    assert.ok(Math.abs(ours - theirs) <= LOSS_TOLERANCE, `item ${item}: ${ours}, ${theirs}`);
  }
  const norms = await normByTensor(learner);
  for (const [name, theirs] of Object.entries(golden.grad_norm_by_tensor_first_step)) {
    const ours = norms.get(name) ?? Number.NaN;
    assert.ok(within(ours, theirs, NORM_TOLERANCE), `${name}: ${ours}, ${theirs}`);
  }
}

describe('the bundled model learns as in torch', () => {
  const folder = temporaryFolder();
  let learner: Learner;

  before(async function () {
    this.timeout(120_000);
    learner = await openSmall(folder.path);
  });
  after(async () => {
    await learner.engine.close();
    folder.remove();
  });

  it('over three steps: each loss, each norm of the gradient, and the loss after them', async function () {
    this.timeout(900_000);
    const { engine } = learner;
    const losses: number[] = [];
    for (const [step, norm] of golden.grad_norms.entries()) {
      const { loss, logProbs } = await engine.accumulate(batch, objective);
      losses.push(loss);
      if (step === 0) await checkFirst(learner, logProbs);
      const { lr, betas, eps, weight_decay: weightDecay } = golden;
      const { gradNorm } = await engine.update({ lr, betas, eps, weightDecay, clip: null });
      assert.ok(within(gradNorm, norm, NORM_TOLERANCE), `step ${step}: norm ${gradNorm}, ${norm}`);
    }
    losses.push(objective((await engine.evaluate(batch)).logProbs, batch).loss);
    const differences = losses.map((loss, step) => Math.abs(loss - (golden.losses[step] ?? Number.NaN)));
    process.stdout.write(`      farthest loss from torch: ${Math.max(...differences).toExponential(1)}\n`);
    assert.equal(losses.length, golden.losses.length);
    assert.ok(differences.every((difference) => difference <= LOSS_TOLERANCE));
  });
});
