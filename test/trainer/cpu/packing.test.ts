import { strict as assert } from 'node:assert';
import type { Floats } from '../../../python-free-trainer/src/backend/cpu/matrix.ts';
import type { PackedBatch } from '../../../python-free-trainer/src/data/batch.ts';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { answerAfter, packShared, packTexts } from '../support/batches.ts';
import { relativeDistance } from '../support/compare.ts';
import { type Learner, openLearner, trainedNumbers } from '../support/learner.ts';
import { randomAdapter, randomModel, randomTokens, TINY } from '../support/models.ts';

const config = { ...TINY.qwen3, headDim: 16, hidden: 72, ffn: 136, vocab: 211 };
const text = (length: number, seed: number) => answerAfter(3, randomTokens(length, config.vocab, seed));

async function open(options: { threads?: number; float64?: boolean } = {}): Promise<Learner> {
  return openLearner({ source: randomModel(config, 1), adapter: randomAdapter(config, 2), ...options });
}

/** Log-probabilities and gradients of a batch. */
async function learn(learner: Learner, batch: PackedBatch) {
  const { logProbs } = await learner.engine.accumulate(batch, sftObjective(100));
  const gradients = await trainedNumbers(learner, 'gradient');
  await learner.engine.update({ lr: 0, betas: [0, 0], eps: 1, weightDecay: 0, clip: null });
  return { logProbs, gradients: [...gradients.values()] };
}

function ofExample(logProbs: Float64Array, batch: PackedBatch, example: number): number[] {
  return [...logProbs].filter((_, index) => batch.examples[index] === example);
}

function sum(all: Floats[][]): Floats[] {
  const [first = []] = all;
  return first.map((matrix, index) =>
    matrix.map((_, place) => all.reduce((total, one) => total + (one[index]?.[place] ?? Number.NaN), 0)),
  );
}

describe('a pack', () => {
  for (const float64 of [false, true]) {
    const precision = float64 ? 'float64' : 'float32';

    it(`gives each example the same bits alone, and beside whatever neighbours, in ${precision}`, async () => {
      const learner = await open({ float64 });
      const mine = text(37, 10);
      const alone = packTexts([mine]);
      const expected = [...(await learner.engine.evaluate(alone)).logProbs];
      assert.equal(expected.length, 34);
      for (const [place, neighbours] of [
        [1, [text(29, 11), mine, text(70, 12)]],
        [1, [text(29, 13), mine, text(70, 14)]],
        [0, [mine, text(5, 15)]],
        [2, [text(64, 16), text(1, 17), mine]],
        [1, [text(490, 18), mine, text(600, 19)]],
      ] as const) {
        const batch = packTexts(neighbours);
        assert.deepEqual(ofExample((await learner.engine.evaluate(batch)).logProbs, batch, place), expected);
        assert.deepEqual(ofExample((await learn(learner, batch)).logProbs, batch, place), expected);
      }
      await learner.engine.close();
    });
  }

  it('has the gradients of its examples one by one', async () => {
    const learner = await open({ float64: true });
    const texts = [text(20, 20), text(33, 21), text(8, 22)];
    const packed = (await learn(learner, packTexts(texts))).gradients;
    const single: Floats[][] = [];
    for (const one of texts) single.push((await learn(learner, packTexts([one]))).gradients);
    for (const [index, matrix] of sum(single).entries())
      assert.ok(relativeDistance(packed[index] ?? [], matrix) <= 1e-12);
    await learner.engine.close();
  });

  it('with a shared beginning has the log-probabilities and gradients of the plain form', async () => {
    const learner = await open({ float64: true });
    const prefix = randomTokens(41, config.vocab, 30);
    const rests = [9, 1, 70, 12].map((length, index) => randomTokens(length, config.vocab, 31 + index));
    const shared = packShared(prefix, rests);
    const plain = packTexts(rests.map((rest) => answerAfter(prefix.length, [...prefix, ...rest])));
    assert.deepEqual([...shared.targets], [...plain.targets]);
    const [ours, theirs] = [await learn(learner, shared), await learn(learner, plain)];
    assert.ok(relativeDistance(ours.logProbs, theirs.logProbs) <= 1e-12);
    for (const [index, matrix] of theirs.gradients.entries())
      assert.ok(relativeDistance(ours.gradients[index] ?? [], matrix) <= 1e-12);
    await learner.engine.close();
  });
});

describe('the same seed', () => {
  it('gives the same bits with one thread and with two, again and again', async () => {
    const batch = packTexts([text(90, 40), text(61, 41), text(130, 42)]);
    const runs = [];
    for (const threads of [1, 2, 2]) {
      const learner = await open({ threads });
      const settings = { lr: 1e-2, betas: [0.9, 0.99], eps: 1e-8, weightDecay: 0.1, clip: 0.5 } as const;
      const losses: number[] = [];
      const norms: number[] = [];
      for (let step = 0; step < 3; step++) {
        losses.push((await learner.engine.accumulate(batch, sftObjective(batch.targets.length))).loss);
        norms.push((await learner.engine.update(settings)).gradNorm);
      }
      runs.push({ losses, norms, adapter: await learner.engine.adapter(), state: await learner.engine.optimiser() });
      await learner.engine.close();
    }
    assert.ok((runs[0]?.losses[2] ?? 0) < (runs[0]?.losses[0] ?? 0));
    assert.deepEqual(runs[1], runs[0]);
    assert.deepEqual(runs[2], runs[0]);
  });
});
