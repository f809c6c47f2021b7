import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../src/core/score/statistics/random.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { pairsFile, tinyFolder } from '../support/tiny-folder.ts';
import { callTrainer, eventsOf, historyOf, runFolder } from '../support/trainer.ts';

const STEPS = 20;
const KILLS = 20;

describe('a training run that is killed and resumed', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const home = join(folder.path, 'home');
  const straight = join(folder.path, 'straight');
  let settings: object;
  after(() => folder.remove());

  before(async () => {
    settings = {
      model: { base: tinyFolder(folder.path) },
      data: { train: pairsFile(folder.path, 26), held_out: 0.1 },
      lora: { r: 4, alpha: 8 },
      batch: { examples: 3 },
      length: { epochs: 10, steps: STEPS },
      every: { eval: 3, checkpoint: 2 },
      threads: 1,
    };
    runFolder(folder.path, 'straight', settings);
    const { code, stderr } = await callTrainer(['train', straight], { home });
    assert.equal(code, 0, stderr);
  });

  const lastState = (run: string) =>
    readFileSync(join(run, `checkpoints/step-${String(STEPS).padStart(6, '0')}/trainer_state.safetensors`));
  const losses = (run: string) => [...historyOf(run).steps.column('loss')];
  const evals = (run: string) => historyOf(run).evals.map(({ step, loss, best }) => [step, loss, best]);

  function assertAsStraight(run: string): void {
    assert.deepEqual(
      [...historyOf(run).steps.column('step')],
      Array.from({ length: STEPS }, (_, index) => index + 1),
    );
    assert.deepEqual(losses(run), losses(straight));
    assert.deepEqual(evals(run), evals(straight));
    assert.ok(lastState(run).equals(lastState(straight)), 'adapter and moments are byte-equal');
  }

  it('ends with the same adapter, moments and losses, bit for bit, after 10 steps, a kill -9 and 10 more', async () => {
    const run = runFolder(folder.path, 'once', settings);
    const killed = await callTrainer(['train', run], {
      home,
      onEvent: (event, child) => {
        if (event.kind === 'checkpoint' && event.step === 10) child.kill('SIGKILL');
      },
    });
    assert.equal(killed.signal, 'SIGKILL');
    const { code, stderr } = await callTrainer(['train', run, '--resume'], { home });
    assert.equal(code, 0, stderr);
    assertAsStraight(run);
  });

  it('ends the same after 20 kills at random moments, and no reader sees a step twice or misses one', async () => {
    const run = runFolder(folder.path, 'often', settings);
    const random = new Random(20261130);
    let kills = 0;
    for (let tries = 0; kills < KILLS; tries++) {
      assert.ok(tries < 2 * KILLS, 'the run gets on between kills');
      let left = random.below(5);
      const delay = random.below(40);
      const { signal, code, stderr } = await callTrainer(['train', run], {
        home,
        onEvent: (_, child) => {
          if (left-- === 0) setTimeout(() => child.kill('SIGKILL'), delay);
        },
      });
      if (signal === 'SIGKILL') kills += 1;
      else assert.equal(code, 0, stderr);
      const told = [...historyOf(run).steps.column('step')];
      assert.deepEqual(
        told,
        Array.from(told, (_, index) => index + 1),
        `after kill ${kills}`,
      );
    }
    const { code, stderr } = await callTrainer(['train', run], { home });
    assert.equal(code, 0, stderr);
    const resumedAt = eventsOf(run).flatMap((event) => (event.kind === 'start' ? [event.step] : []));
    assert.ok(new Set(resumedAt).size >= 5, `kills fell into different parts of the run: ${resumedAt}`);
    assertAsStraight(run);
  });

  it('ends cleanly with a checkpoint at SIGTERM, exit code 130, and goes on to the same end', async () => {
    const run = runFolder(folder.path, 'term', settings);
    const stopped = await callTrainer(['train', run], {
      home,
      onEvent: (event, child) => {
        if (event.kind === 'step' && event.step === 5) child.kill('SIGTERM');
      },
    });
    assert.equal(stopped.code, 130);
    const last = eventsOf(run).at(-1);
    assert.ok(last?.kind === 'end' && last.state === 'stopped' && last.step >= 5);
    assert.equal(historyOf(run).checkpoints.at(-1)?.step, last.step);
    assert.equal(JSON.parse(readFileSync(join(run, 'status.json'), 'utf8')).state, 'stopped');
    const { code, stderr } = await callTrainer(['train', run, '--resume'], { home });
    assert.equal(code, 0, stderr);
    assertAsStraight(run);
  });

  it('keeps its last checkpoint where the disk is full, says so, and goes on when there is room', async function () {
    if (process.platform === 'win32') this.skip();
    const run = runFolder(folder.path, 'full', settings);
    const stop = await callTrainer(['train', run], {
      home,
      onEvent: (event, child) => {
        if (event.kind === 'checkpoint' && event.step === 4) child.kill('SIGKILL');
      },
    });
    assert.equal(stop.signal, 'SIGKILL');
    const full = await callTrainer(['train', run], { home, fileLimit: 80 });
    assert.equal(full.code, 1);
    assert.match(JSON.stringify(full.printed.at(-1)), /"code":"disk_full"/);
    assert.match(
      JSON.stringify(eventsOf(run).at(-1)),
      /"state":"failed".*too full for .*checkpoint before it is untouched/,
    );
    const { code, stderr } = await callTrainer(['train', run, '--resume'], { home });
    assert.equal(code, 0, stderr);
    assertAsStraight(run);
  });
});
