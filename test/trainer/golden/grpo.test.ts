import { strict as assert } from 'node:assert';
import { type GrpoReduction, grpoObjective, grpoTokens } from '../../../python-free-trainer/src/loss/grpo.ts';
import { type Learner, trainedNumbers } from '../support/learner.ts';
import { openGolden } from './open.ts';
import { ofTargets, packPadded, readScalars, readVectors, type Vectors } from './vectors.ts';
import { Worst } from './worst.ts';

const COLUMNS = 20;
const scalars = readScalars().grpo;
const settings = { clipLow: scalars.eps, clipHigh: scalars.eps, kl: 0 };
const reductions: GrpoReduction[] = [
  { kind: 'sequence_mean', sequences: 6 },
  { kind: 'token_mean', tokens: scalars.n_tokens },
  { kind: 'constant', sequences: 6, longest: 20 },
];

describe('the GRPO family on the tiny model equals PyTorch', () => {
  let learner: Learner;
  let vectors: Vectors;
  const worst = new Worst();

  beforeEach(async () => {
    learner = await openGolden();
    vectors = await readVectors('grpo.safetensors');
  });
  afterEach(() => learner.engine.close());
  after(() => worst.print());

  const samples = () => ({
    advantages: Float64Array.from(vectors.floats('advantages')),
    oldLogProbs: Float64Array.from(ofTargets(vectors.floats('old_token_logps'), vectors, COLUMNS)),
    referenceLogProbs: null,
  });

  it('in ratio, clip and loss of each token', async () => {
    const batch = packPadded(vectors, COLUMNS);
    const { logProbs } = await learner.engine.evaluate(batch);
    const tokens = grpoTokens(logProbs, batch, samples(), settings);
    const theirs = (name: string) => ofTargets(vectors.floats(name), vectors, COLUMNS);
    worst.compare('log-probabilities', logProbs, theirs('token_logps'));
    worst.compare('ratio', tokens.ratio, theirs('ratio'));
    worst.compare('loss by token', tokens.loss, theirs('per_token_loss'));
    assert.deepEqual([...tokens.clipped], ofTargets(vectors.integers('clipped'), vectors, COLUMNS));
    assert.equal(
      tokens.clipped.reduce((sum, value) => sum + value, 0),
      scalars.n_clipped,
    );
  });

  for (const reduction of reductions)
    it(`in loss and gradients with the reduction ${reduction.kind}`, async () => {
      const batch = packPadded(vectors, COLUMNS);
      const { loss } = await learner.engine.accumulate(batch, grpoObjective(samples(), { ...settings, reduction }));
      worst.compare(`loss.${reduction.kind}`, [loss], vectors.floats(`loss.${reduction.kind}`));
      worst.compare(`loss.${reduction.kind}`, [loss], [scalars[reduction.kind].loss]);
      const gradients = await trainedNumbers(learner, 'gradient');
      // The constant one differs from the mean over tokens by its denominator alone.
      const [name, factor] = reduction.kind === 'constant' ? ['token_mean', 50 / 120] : [reduction.kind, 1];
      worst.compareAll(`grad.${name}.`, gradients, (of) => vectors.floats(of).map((value) => value * factor));
      const off = { lr: 0, betas: [0, 0], eps: 1, weightDecay: 0, clip: null } as const;
      const { gradNorm } = await learner.engine.update(off);
      worst.compare('gradient norm', [gradNorm], [scalars[reduction.kind].grad_norm]);
    });
});
