import { strict as assert } from 'node:assert';
import { setImmediate as turn } from 'node:timers/promises';
import { createEngine } from '../../../python-free-trainer/src/engine/create.ts';
import type { Engine, Objective } from '../../../python-free-trainer/src/engine/engine.ts';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { answerAfter, packTexts } from '../support/batches.ts';
import { randomAdapter, randomModel, randomTokens, TINY } from '../support/models.ts';

const config = TINY.qwen3;
const settings = { lr: 1e-2, betas: [0.9, 0.99], eps: 1e-8, weightDecay: 0.01, clip: 1 } as const;
const batch = packTexts([
  answerAfter(2, randomTokens(12, config.vocab, 1)),
  answerAfter(5, randomTokens(9, config.vocab, 2)),
]);
const objective = sftObjective(batch.targets.length);
/** Its gradient is known only when it was computed. */
const late: Objective = (logProbs, of) => objective(logProbs, of);

function open(thread: boolean): Promise<Engine> {
  const adapter = randomAdapter(config, 3);
  const lora = { r: adapter.r, alpha: adapter.alpha, rslora: false, targets: [] };
  return createEngine({
    device: 'cpu',
    source: randomModel(config, 1),
    lora,
    adapter,
    seed: 1,
    threads: 1,
    recompute: 'mlp',
    thread,
  });
}

/** All that an engine can be asked for over a few steps. */
async function everything(engine: Engine): Promise<unknown[]> {
  const found: unknown[] = [engine.info.parameters, engine.info.name, engine.flops(batch), await engine.plan?.(100)];
  found.push(await engine.accumulate(batch, objective, { temperature: 0.8 }), await engine.update(settings));
  const saved = { adapter: await engine.adapter(), optimiser: await engine.optimiser() };
  found.push(saved, await engine.accumulate(batch, late), await engine.update(settings));
  found.push(await engine.evaluate(batch), await engine.evaluate(batch, { adapter: false }), await engine.adapter());
  await engine.restore(saved.adapter, saved.optimiser);
  found.push(await engine.optimiser(), engine.memory());
  return found;
}

describe('an engine on a thread of its own', () => {
  it('gives what it gives on the calling thread, bit for bit', async () => {
    const [here, there] = [await open(false), await open(true)];
    assert.deepEqual(await everything(there), await everything(here));
    await Promise.all([here.close(), there.close()]);
  });

  it('leaves the calling thread free', async () => {
    const engine = await open(true);
    let turns = 0;
    let isDone = false;
    const work = engine.accumulate(batch, objective).finally(() => {
      isDone = true;
    });
    for (; !isDone; turns++) await turn();
    await work;
    assert.ok(turns > 2, `${turns} turns`);
    await engine.close();
  });

  it('throws with the code and the words of the thread, and goes on', async () => {
    const engine = await open(true);
    const outside = { ...batch, tokens: batch.tokens.map(() => 1000) };
    await assert.rejects(engine.evaluate(outside), (error) => {
      return error instanceof AppError && error.code === 'token_outside_vocabulary' && /1000/.test(error.message);
    });
    const none: Objective = (logProbs) => ({ loss: Number.NaN, gradient: new Float64Array(logProbs.length) });
    await assert.rejects(engine.accumulate(batch, none), { code: 'non_finite_loss' });
    const broken: Objective = () => {
      throw new AppError('objective_broken', 'no');
    };
    await assert.rejects(engine.accumulate(batch, broken), { code: 'objective_broken' });
    assert.equal((await engine.evaluate(batch)).logProbs.length, batch.targets.length);
    await engine.close();
  });

  it('refuses what a source cannot read, and leaves no thread behind', async () => {
    const source = { ...randomModel(config, 1), read: () => Promise.reject(new AppError('model_unreadable', 'no')) };
    const options = { lora: { r: 2, alpha: 4, rslora: false, targets: [] }, adapter: null, seed: 1, threads: 1 };
    await assert.rejects(createEngine({ device: 'cpu', source, ...options, thread: true }), {
      code: 'model_unreadable',
    });
  });

  it('asks nothing more of a GPU that is lost', async () => {
    const engine = await open(true);
    const lost: Objective = () => {
      throw new AppError('gpu_lost', 'illegal address');
    };
    await assert.rejects(engine.accumulate(batch, lost), { code: 'gpu_lost' });
    await assert.rejects(engine.evaluate(batch), { code: 'gpu_lost', message: 'illegal address' });
    await engine.close();
  });

  it('says that it was closed to whoever still asks', async () => {
    const engine = await open(true);
    await engine.close();
    await assert.rejects(engine.evaluate(batch), { code: 'engine_lost' });
  });
});
