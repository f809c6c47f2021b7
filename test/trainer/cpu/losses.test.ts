import { strict as assert } from 'node:assert';
import type { PackedBatch } from '../../../python-free-trainer/src/data/batch.ts';
import type { Objective } from '../../../python-free-trainer/src/engine/engine.ts';
import { advantages } from '../../../python-free-trainer/src/loss/advantages.ts';
import { type DpoSettings, dpoObjective, dpoOutcomes } from '../../../python-free-trainer/src/loss/dpo.ts';
import { grpoObjective, grpoTokens } from '../../../python-free-trainer/src/loss/grpo.ts';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { answerAfter, packTexts } from '../support/batches.ts';
import { relativeDistance } from '../support/compare.ts';

const batch: PackedBatch = packTexts([answerAfter(1, [0, 0, 0, 0]), answerAfter(1, [0, 0, 0])]);
const logProbs = Float64Array.of(-0.5, -2, -0.3, -1.2, -0.9);

/** The gradient by differences. */
function measured(objective: Objective, at: Float64Array): number[] {
  return [...at.keys()].map((index) => {
    const moved = (distance: number) => objective(at.with(index, (at[index] ?? 0) + distance), batch).loss;
    return (moved(1e-6) - moved(-1e-6)) / 2e-6;
  });
}

function checkSlopes(objective: Objective, at = logProbs): void {
  const { gradient } = objective(at, batch);
  assert.ok(relativeDistance(gradient, measured(objective, at)) < 1e-8);
}

describe('cross-entropy', () => {
  it('is divided by the tokens of the global batch, so that micro-batches add up', () => {
    assert.equal(sftObjective(10)(logProbs, batch).loss.toFixed(12), '0.490000000000');
    checkSlopes(sftObjective(10));
  });
});

describe('direct preference optimisation', () => {
  const pairs = [{ chosen: 1, rejected: 0, chosenReference: -2.4, rejectedReference: -2.5 }];
  const plain: DpoSettings = { beta: 0.5, labelSmoothing: 0, smoothing: 'conservative', pairs: 2, sft: null };

  it('is -log σ of beta times the difference of the log-ratios', () => {
    const [outcome] = dpoOutcomes(logProbs, batch, pairs, plain);
    const margin = 0.5 * (-2.1 + 2.4 - (-2.8 + 2.5));
    assert.ok(outcome !== undefined && Math.abs(outcome.margin - margin) < 1e-12);
    assert.ok(Math.abs(outcome.loss - Math.log(1 + Math.exp(-margin))) < 1e-12);
    assert.ok(Math.abs(dpoObjective(pairs, plain)(logProbs, batch).loss - outcome.loss / 2) < 1e-12);
    checkSlopes(dpoObjective(pairs, plain));
  });

  it('smooths labels in both forms, which agree with the plain one where nothing is smoothed', () => {
    for (const smoothing of ['conservative', 'robust'] as const) {
      const same = dpoObjective(pairs, { ...plain, smoothing })(logProbs, batch);
      assert.deepEqual(same, dpoObjective(pairs, plain)(logProbs, batch));
      checkSlopes(dpoObjective(pairs, { ...plain, smoothing, labelSmoothing: 0.2 }));
    }
    const margin = 0.3;
    const [straight, other] = [Math.log(1 + Math.exp(-margin)), Math.log(1 + Math.exp(margin))];
    const lossOf = (smoothing: 'conservative' | 'robust') =>
      dpoOutcomes(logProbs, batch, pairs, { ...plain, smoothing, labelSmoothing: 0.2 })[0]?.loss ?? 0;
    assert.ok(Math.abs(lossOf('conservative') - (0.8 * straight + 0.2 * other)) < 1e-12);
    assert.ok(Math.abs(lossOf('robust') - (0.8 * straight - 0.2 * other) / 0.6) < 1e-12);
  });

  it('adds the cross-entropy of the chosen answers alone', () => {
    const settings = { ...plain, sft: { weight: 0.4, tokens: 8 } };
    const extra =
      dpoObjective(pairs, settings)(logProbs, batch).loss - dpoObjective(pairs, plain)(logProbs, batch).loss;
    assert.ok(Math.abs(extra - (0.4 * 2.1) / 8) < 1e-12);
    checkSlopes(dpoObjective(pairs, settings));
  });

  it('stays finite where policy and reference are far apart', () => {
    for (const far of [-4000, 4000]) {
      const { loss, gradient } = dpoObjective(
        [{ chosen: 0, rejected: 1, chosenReference: far, rejectedReference: 0 }],
        plain,
      )(logProbs, batch);
      assert.ok(Number.isFinite(loss) && gradient.every(Number.isFinite));
    }
  });
});

describe('the GRPO family', () => {
  const samples = {
    advantages: Float64Array.of(1, -1),
    // Ratios: 1.35, 0.7, 1 of the first example, 1.35 and 0.7 of the second.
    oldLogProbs: logProbs.map((value, index) => value - Math.log([1.35, 0.7, 1, 1.35, 0.7][index] ?? 1)),
    referenceLogProbs: Float64Array.of(-0.6, -1.7, -0.3, -1.5, -0.5),
  };
  const clips = { clipLow: 0.2, clipHigh: 0.3, kl: 0.1 };

  it('cuts the gradient only where the ratio has gone too far in the direction of the advantage', () => {
    const tokens = grpoTokens(logProbs, batch, samples, { ...clips, kl: 0 });
    assert.deepEqual([...tokens.clipped], [1, 0, 0, 0, 1]);
    assert.ok(relativeDistance(tokens.loss, [-1.3, -0.7, -1, 1.35, 0.8]) < 1e-12);
    assert.ok(relativeDistance(tokens.slope, [0, -0.7, -1, 1.35, 0]) < 1e-12);
  });

  it('estimates the divergence by k3, which is never negative and zero where both agree', () => {
    const { kl } = grpoTokens(logProbs, batch, samples, clips);
    assert.ok(kl.every((value) => value >= 0));
    assert.equal(kl[2], 0);
    assert.ok(Math.abs((kl[0] ?? 0) - (Math.exp(-0.1) + 0.1 - 1)) < 1e-12);
  });

  it('reduces by sequence, by token or by a constant, with the right slopes', () => {
    const losses = grpoTokens(logProbs, batch, samples, clips).loss;
    const [a, b, c, d, e] = losses as unknown as [number, number, number, number, number];
    for (const [reduction, expected] of [
      [{ kind: 'sequence_mean', sequences: 2 }, ((a + b + c) / 3 + (d + e) / 2) / 2],
      [{ kind: 'token_mean', tokens: 5 }, (a + b + c + d + e) / 5],
      [{ kind: 'constant', sequences: 2, longest: 20 }, (a + b + c + d + e) / 40],
    ] as const) {
      const objective = grpoObjective(samples, { ...clips, reduction });
      assert.ok(Math.abs(objective(logProbs, batch).loss - expected) < 1e-12);
      checkSlopes(objective);
    }
  });
});

describe('advantages', () => {
  const rewards = Float64Array.of(1, 0, 0, 1, 0.5, 0.5, 0.5, 0.5);

  it('are rewards less the mean of their group', () => {
    assert.deepEqual([...advantages(rewards, 4, 'none').values], [0.5, -0.5, -0.5, 0.5, 0, 0, 0, 0]);
  });

  it('are divided by the deviation of the group or of the batch, and stay zero in a flat group', () => {
    const spread = Math.sqrt(1 / 3);
    const { values, flatGroups } = advantages(rewards, 4, 'group');
    assert.ok(Math.abs((values[0] ?? 0) - 0.5 / (spread + 1e-4)) < 1e-12);
    assert.deepEqual([...values.subarray(4)], [0, 0, 0, 0]);
    assert.equal(flatGroups, 0.5);
    const whole = Math.sqrt(1 / 7);
    assert.ok(Math.abs((advantages(rewards, 4, 'batch').values[1] ?? 0) + 0.5 / (whole + 1e-4)) < 1e-12);
  });
});
