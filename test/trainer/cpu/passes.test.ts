import { strict as assert } from 'node:assert';
import { CpuBackend } from '../../../python-free-trainer/src/backend/cpu/cpu-backend.ts';
import { Threads } from '../../../python-free-trainer/src/backend/cpu/threads.ts';
import { BackendEngine } from '../../../python-free-trainer/src/engine/backend-engine.ts';
import type { Objective, RecomputeMode } from '../../../python-free-trainer/src/engine/engine.ts';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { answerAfter, packShared, packTexts } from '../support/batches.ts';
import { type Learner, openLearner, trainedNumbers } from '../support/learner.ts';
import { randomAdapter, randomModel, randomTokens, TINY } from '../support/models.ts';
import { randomFloats } from './random-floats.ts';

const settings = { lr: 1e-2, betas: [0.9, 0.99], eps: 1e-8, weightDecay: 0.01, clip: 1 } as const;

/** An engine of a tiny model that computes again what a mode leaves out. */
async function learnerOf(family: keyof typeof TINY, mode: RecomputeMode): Promise<Learner> {
  const config = TINY[family];
  const adapter = randomAdapter(config, 3);
  const learner = await openLearner({ source: randomModel(config, 1), adapter });
  const { backend, weights, trained } = learner;
  const engine = new BackendEngine(backend, weights, trained, { name: 'CPU', peakFlops: null }, mode);
  return { ...learner, engine };
}

/** All numbers that two steps leave behind. */
async function afterTwoSteps(learner: Learner, objective: Objective): Promise<Map<string, unknown>> {
  const { vocab } = TINY.qwen3;
  const batches = [
    packTexts([answerAfter(2, randomTokens(12, vocab, 1)), answerAfter(5, randomTokens(9, vocab, 2))]),
    packShared(randomTokens(7, vocab, 3), [randomTokens(5, vocab, 4), randomTokens(6, vocab, 5)]),
  ];
  const found = new Map<string, unknown>();
  for (const [step, batch] of batches.entries()) {
    found.set(`result ${step}`, await learner.engine.accumulate(batch, objective));
    for (const [name, values] of await trainedNumbers(learner, 'gradient')) found.set(`${step} ${name}`, values);
    found.set(`norm ${step}`, await learner.engine.update(settings));
  }
  for (const kind of ['value', 'first', 'second'] as const)
    for (const [name, values] of await trainedNumbers(learner, kind)) found.set(`${kind} ${name}`, values);
  return found;
}

describe('the way back', () => {
  for (const family of ['qwen3', 'qwen2', 'llama'] as const)
    for (const mode of ['cheap', 'mlp', 'block'] as const)
      it(`gives the same bits where it computes again (${family}, ${mode})`, async () => {
        const kept = await learnerOf(family, 'none');
        const again = await learnerOf(family, mode);
        const objective = sftObjective(20);
        assert.deepEqual(await afterTwoSteps(again, objective), await afterTwoSteps(kept, objective));
        await kept.engine.close();
        await again.engine.close();
      });

  it('keeps less the more it computes again', async () => {
    const most: number[] = [];
    for (const mode of ['none', 'cheap', 'mlp', 'block'] as const) {
      const learner = await learnerOf('qwen3', mode);
      const batch = packTexts([answerAfter(2, randomTokens(40, TINY.qwen3.vocab, 1))]);
      let held = 0;
      const objective: Objective = (logProbs) => {
        // Called between the ways there and back, when all that is kept is there.
        held = learner.engine.memory();
        return { loss: 0, gradient: new Float64Array(logProbs.length) };
      };
      await learner.engine.accumulate(batch, objective);
      most.push(held);
      await learner.engine.close();
    }
    assert.ok(
      most.every((held, index) => index === 0 || held < (most[index - 1] ?? 0)),
      most.join(),
    );
  });

  it('learns the same from a gradient that is known before the log-probabilities', async () => {
    const sft = sftObjective(20);
    const late: Objective = (logProbs, batch) => sft(logProbs, batch);
    const [once, twice] = [await learnerOf('qwen3', 'none'), await learnerOf('qwen3', 'none')];
    assert.deepEqual(await afterTwoSteps(once, sft), await afterTwoSteps(twice, late));
    await once.engine.close();
    await twice.engine.close();
  });

  it('leaves gradients alone where the loss is none', async () => {
    const { engine, ...inside } = await learnerOf('qwen3', 'none');
    const batch = packTexts([answerAfter(2, randomTokens(12, TINY.qwen3.vocab, 1))]);
    const broken: Objective = Object.assign(() => ({ loss: Number.NaN, gradient: new Float64Array() }), {
      constantGradient: () => new Float64Array(batch.targets.length).fill(1),
    });
    await assert.rejects(engine.accumulate(batch, broken), { code: 'non_finite_loss' });
    for (const values of (await trainedNumbers({ engine, ...inside }, 'gradient')).values())
      assert.ok(values.every((value) => value === 0));
    await engine.close();
  });
});

describe('the output head on the CPU', () => {
  it('gives log-probabilities and gradients in one pass as in two, bit for bit, over several chunks', async () => {
    const [rows, width, vocab] = [70, 24, 150_000];
    const backend = new CpuBackend(new Threads(2));
    const hidden = backend.tensor(rows, width, randomFloats(1, rows * width));
    const head = backend.tensor(vocab, width, randomFloats(2, vocab * width));
    const lossRows = Int32Array.from({ length: rows }, (_, index) => (index * 7) % rows);
    const targets = Int32Array.from({ length: rows }, (_, index) => (index * 7919) % vocab);
    const gradient = Float64Array.from(randomFloats(3, rows));
    const at = [hidden, head, lossRows, targets, 0.7] as const;
    const [one, two] = [backend.tensor(rows, width), backend.tensor(rows, width)];
    const single = await backend.logProbsWithGradient(one, gradient, ...at);
    const double = await backend.logProbs(...at);
    backend.logProbsBackward(two, gradient, ...at, double.logSums);
    assert.deepEqual(single, double);
    assert.deepEqual(await backend.read(one), await backend.read(two));
    await backend.close();
  });
});
