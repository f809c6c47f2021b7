import { strict as assert } from 'node:assert';
import { createEngine } from '../../../python-free-trainer/src/engine/create.ts';
import type { Engine } from '../../../python-free-trainer/src/engine/engine.ts';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { TARGETS } from '../../../python-free-trainer/src/model/targets.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import type { LoraTarget } from '../../../src/protocol/training.ts';
import { answerAfter, packTexts } from '../support/batches.ts';
import { relativeDistance } from '../support/compare.ts';
import { randomAdapter, randomModel, randomTokens, TINY } from '../support/models.ts';

const config = TINY.qwen2;
const lora = { r: 4, alpha: 8, rslora: false, targets: TARGETS };
const settings = { lr: 1e-2, betas: [0.9, 0.99], eps: 1e-8, weightDecay: 0.01, clip: 1 } as const;
const batch = packTexts([
  answerAfter(2, randomTokens(12, config.vocab, 1)),
  answerAfter(5, randomTokens(9, config.vocab, 2)),
]);
const objective = sftObjective(batch.targets.length);

function open(options: Partial<Parameters<typeof createEngine>[0]> = {}): Promise<Engine> {
  const source = randomModel(config, 1);
  return createEngine({ device: 'cpu', source, lora, adapter: null, seed: 5, threads: 1, ...options });
}

async function step(engine: Engine): Promise<number> {
  const { loss } = await engine.accumulate(batch, objective);
  await engine.update(settings);
  return loss;
}

async function state(engine: Engine) {
  return { adapter: await engine.adapter(), optimiser: await engine.optimiser() };
}

const coded = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

describe('an engine on the CPU', () => {
  let engine: Engine;
  beforeEach(async () => {
    engine = await open();
  });
  afterEach(() => engine.close());

  it('says what it is', () => {
    const { peakFlops, ...info } = engine.info;
    const perLayer = 4 * (24 + 32 + 24 + 16 + 24 + 16 + 32 + 24 + 24 + 40 + 24 + 40 + 40 + 24);
    assert.deepEqual(info, {
      device: 'cpu',
      name: 'CPU, 1 thread',
      parameters: 50 * 24 + 2 * (24 * 64 + 64 + 32 * 24 + 3 * 24 * 40 + 48) + 24,
      trainedParameters: 2 * perLayer,
    });
    assert.ok(peakFlops !== null && peakFlops > 1e8);
  });

  it('begins as the base model and leaves it with the first step, the base itself unchanged', async () => {
    const base = await engine.evaluate(batch, { adapter: false });
    assert.deepEqual((await engine.evaluate(batch)).logProbs, base.logProbs);
    await step(engine);
    assert.notDeepEqual((await engine.evaluate(batch)).logProbs, base.logProbs);
    assert.deepEqual((await engine.evaluate(batch, { adapter: false })).logProbs, base.logProbs);
  });

  it('adds micro-batches up to the step of the whole batch', async () => {
    const parts = [randomTokens(12, config.vocab, 1), randomTokens(9, config.vocab, 2)];
    const losses = [];
    for (const [index, tokens] of parts.entries())
      losses.push((await engine.accumulate(packTexts([answerAfter(index === 0 ? 2 : 5, tokens)]), objective)).loss);
    const { gradNorm } = await engine.update(settings);
    const whole = await open();
    const { loss } = await whole.accumulate(batch, objective);
    assert.ok(relativeDistance([(losses[0] ?? 0) + (losses[1] ?? 0)], [loss]) < 1e-6);
    assert.ok(relativeDistance([gradNorm], [(await whole.update(settings)).gradNorm]) < 1e-6);
    await whole.close();
  });

  it('goes on bit for bit from a restored state', async () => {
    for (let index = 0; index < 2; index++) await step(engine);
    const saved = await state(engine);
    const straight = [await step(engine), await step(engine)];
    const again = await open({ seed: 99 });
    await again.accumulate(batch, objective);
    await again.restore(saved.adapter, saved.optimiser);
    assert.deepEqual([await step(again), await step(again)], straight);
    assert.deepEqual(await state(again), await state(engine));
    assert.equal(saved.optimiser.step, 2);
    await again.close();
  });

  it('refuses a state of another run and stays as it was', async () => {
    await step(engine);
    const before = await state(engine);
    const { adapter, optimiser } = before;
    const short = { ...optimiser, firstMoments: optimiser.firstMoments.slice(1) };
    await assert.rejects(engine.restore(adapter, short), coded('state_mismatch'));
    await assert.rejects(engine.restore({ ...adapter, alpha: 1 }, optimiser), coded('state_mismatch'));
    const swapped = { ...adapter, pairs: adapter.pairs.toReversed() };
    await assert.rejects(engine.restore(swapped, optimiser), coded('adapter_mismatch'));
    assert.deepEqual(await state(engine), before);
  });

  it('stops at a loss that is not a number, with nothing learned', async () => {
    await step(engine);
    const before = await state(engine);
    const bad = () => ({ loss: Number.NaN, gradient: new Float64Array(batch.targets.length) });
    await assert.rejects(engine.accumulate(batch, bad), coded('non_finite_loss'));
    const endless = () => ({
      loss: 1,
      gradient: new Float64Array(batch.targets.length).fill(Number.POSITIVE_INFINITY),
    });
    await assert.rejects(engine.accumulate(batch, endless), coded('non_finite_loss'));
    assert.deepEqual(await engine.update({ ...settings, lr: 0, weightDecay: 0 }), { gradNorm: 0 });
    assert.deepEqual((await engine.adapter()).pairs, before.adapter.pairs);
  });

  it('stops at a gradient that is not a number, with nothing changed', async () => {
    await step(engine);
    const before = await state(engine);
    const huge = () => ({ loss: 1, gradient: new Float64Array(batch.targets.length).fill(1e300) });
    await engine.accumulate(batch, huge);
    await assert.rejects(engine.update(settings), coded('non_finite_gradient'));
    assert.deepEqual(await state(engine), before);
  });

  it('holds no more memory after a step than before, also after one that failed', async () => {
    await engine.evaluate(batch);
    const before = engine.memory();
    await step(engine);
    assert.equal(engine.memory(), before);
    const fail = () => {
      throw new Error('in the loss');
    };
    await assert.rejects(engine.accumulate(batch, fail), /in the loss/);
    assert.equal(engine.memory(), before);
  });

  it('divides the logits by the temperature', async () => {
    const hot = await engine.evaluate(batch, { temperature: 1e6 });
    for (const value of hot.logProbs) assert.ok(Math.abs(value + Math.log(config.vocab)) < 1e-4);
    assert.equal(hot.correct, (await engine.evaluate(batch)).correct);
  });

  it('counts useful operations, fewer where a beginning is shared', () => {
    const tokens = 21;
    const linear = 2 * (24 * 64 + 32 * 24 + 3 * 24 * 40);
    const pairs = (12 * 13) / 2 + (9 * 10) / 2;
    const trained = engine.info.trainedParameters;
    const expected =
      tokens * (4 * linear - 2 * 24 * 64 + 6 * trained) + 12 * 8 * 4 * 2 * pairs + 4 * 24 * 50 * batch.targets.length;
    assert.equal(engine.flops(batch), expected);
  });
});

describe('making an engine', () => {
  it('adapts any subset of the linear layers', async () => {
    for (const targets of [['v_proj'], ['o_proj', 'gate_proj'], ['k_proj', 'down_proj']] satisfies LoraTarget[][]) {
      const engine = await open({ adapter: randomAdapter(config, 3, targets) });
      const losses = [];
      for (let index = 0; index < 10; index++) losses.push(await step(engine));
      assert.ok((losses[9] ?? 0) < (losses[0] ?? 0), targets.join());
      await engine.close();
    }
  });

  it('refuses an adapter of another model, a device that is not there and tokens of another vocabulary', async () => {
    await assert.rejects(open({ adapter: randomAdapter(TINY.qwen3, 3) }), coded('adapter_mismatch'));
    const driver = process.env['SQL_AGENT_CUDA_DRIVER'];
    process.env['SQL_AGENT_CUDA_DRIVER'] = '/nowhere/libcuda.so.1';
    await assert.rejects(open({ device: 'cuda' }), coded('cuda_no_driver'));
    if (driver === undefined) delete process.env['SQL_AGENT_CUDA_DRIVER'];
    else process.env['SQL_AGENT_CUDA_DRIVER'] = driver;
    const engine = await open();
    const foreign = { ...batch, tokens: batch.tokens.with(0, config.vocab) };
    const said = new RegExp(
      `^Token ${config.vocab} is outside the model's vocabulary, which ends at ${config.vocab - 1}: .*Take the tokenizer`,
    );
    await assert.rejects(engine.evaluate(foreign), { code: 'token_outside_vocabulary', message: said });
    await engine.close();
  });
});
