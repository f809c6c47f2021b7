import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { configHash } from '../../../python-free-trainer/src/config/compare.ts';
import { completeConfig } from '../../../python-free-trainer/src/config/complete.ts';
import { configWarnings } from '../../../python-free-trainer/src/config/warnings.ts';
import { Control } from '../../../python-free-trainer/src/run/control.ts';
import { EventLog } from '../../../python-free-trainer/src/run/events.ts';
import { Heartbeat } from '../../../python-free-trainer/src/run/heartbeat.ts';
import { lockRun } from '../../../python-free-trainer/src/run/lock.ts';
import { runPaths } from '../../../python-free-trainer/src/run/paths.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { TrainingStatus } from '../../../src/protocol/training.ts';
import { identityOf } from '../../../src/runtime/trainer/process-identity.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const folder = temporaryFolder();
after(() => folder.remove());
let made = 0;
function newPaths() {
  const path = join(folder.path, String(made++));
  mkdirSync(path);
  return runPaths(path);
}

describe('the lock of a run directory', () => {
  it('is refused while its holder lives, who is named', async () => {
    const paths = newPaths();
    const lock = await lockRun(paths);
    await assert.rejects(lockRun(paths), { code: 'run_locked', message: new RegExp(`process ${process.pid}\\.`) });
    await lock.release();
    await (await lockRun(paths)).release();
    assert.deepEqual(readdirSync(paths.folder), []);
  });

  it('is taken over from a process that has ended, also where another has its number by now', async () => {
    const paths = newPaths();
    const host = hostname();
    for (const holder of [
      { pid: 2 ** 22 + 1, start: '1', host },
      { ...(await identityOf(process.pid)), start: 'another time', host },
    ]) {
      writeFileSync(paths.lock, JSON.stringify(holder));
      const lock = await lockRun(paths);
      assert.equal(JSON.parse(readFileSync(paths.lock, 'utf8')).pid, process.pid);
      await lock.release();
    }
  });

  it('is taken over where its file says nothing', async () => {
    const paths = newPaths();
    for (const text of ['', 'no JSON', '{"pid":"x"}']) {
      writeFileSync(paths.lock, text);
      await (await lockRun(paths)).release();
    }
  });

  it('is taken over where one that wanted to do so was killed at it', async () => {
    const paths = newPaths();
    const gone = JSON.stringify({ pid: 2 ** 22 + 1, start: '1', host: hostname() });
    for (const text of [gone, '']) {
      writeFileSync(paths.lock, gone);
      writeFileSync(`${paths.lock}.taking-over`, text);
      await (await lockRun(paths)).release();
      assert.deepEqual(readdirSync(paths.folder), []);
    }
  });

  it('is taken away by nobody while another takes it over', async () => {
    const paths = newPaths();
    const gone = JSON.stringify({ pid: 2 ** 22 + 1, start: '1', host: hostname() });
    writeFileSync(paths.lock, gone);
    writeFileSync(
      `${paths.lock}.taking-over`,
      JSON.stringify({ ...(await identityOf(process.pid)), host: hostname() }),
    );
    await assert.rejects(lockRun(paths), { code: 'run_locked' });
    assert.equal(readFileSync(paths.lock, 'utf8'), gone);
  });

  it('of another machine counts as long as its heartbeat does', async () => {
    const paths = newPaths();
    const text = JSON.stringify({ pid: 1, start: null, host: 'another machine' });
    writeFileSync(paths.lock, text);
    writeFileSync(paths.status, '{}');
    await assert.rejects(lockRun(paths), { code: 'run_locked', message: /process 1 on another machine/ });
    assert.equal(readFileSync(paths.lock, 'utf8'), text);
  });

  it('is given to one of many who want it at once', async () => {
    const paths = newPaths();
    writeFileSync(paths.lock, JSON.stringify({ pid: 2 ** 22 + 1, start: '1', host: hostname() }));
    const tries = await Promise.allSettled(Array.from({ length: 12 }, () => lockRun(paths)));
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
  });
});

describe('the events of a run', () => {
  it('are added behind those that are there, in whole lines', () => {
    const { events: path } = newPaths();
    for (const step of [0, 7]) {
      const log = new EventLog(path);
      log.append({ kind: 'start', step, of: 9 });
      log.close();
    }
    const lines = readFileSync(path, 'utf8').split('\n');
    assert.deepEqual(
      lines.slice(0, 2).map((line) => JSON.parse(line).step),
      [0, 7],
    );
    assert.equal(lines[2], '');
  });

  it('lose a last line that has no end, however long, and nothing else', () => {
    for (const torn of ['{', `{"text":"${'x'.repeat(200_000)}`]) {
      const { events: path } = newPaths();
      writeFileSync(path, `{"kind":"a"}\n${torn}`);
      const log = new EventLog(path);
      assert.equal(log.repaired, torn.length);
      log.append({ kind: 'note', step: 1, text: 'ä' });
      log.close();
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
      assert.deepEqual([lines[0], JSON.parse(lines[1] ?? '').text, lines.length], ['{"kind":"a"}', 'ä', 2]);
    }
  });

  it('say that the disk is full where it is, and that the checkpoints are untouched', function () {
    if (process.platform !== 'linux') this.skip();
    const log = new EventLog('/dev/full');
    assert.throws(() => log.append({ kind: 'note', step: 1, text: 'x' }), {
      code: 'disk_full',
      message: /too full for \/dev\/full\. The checkpoints are untouched\. Free some space/,
    });
    log.close();
  });

  it('are none where all of the file is one torn line', () => {
    const { events: path } = newPaths();
    writeFileSync(path, '{"kind":');
    new EventLog(path).close();
    assert.equal(readFileSync(path, 'utf8'), '');
  });
});

describe('the heartbeat of a run', function () {
  this.timeout(30_000);

  it('goes on while the trainer is blocked in a step, and ends with the last state', async () => {
    const { status: path } = newPaths();
    const start = { process: await identityOf(process.pid), state: 'training', message: 'Step 1.', step: 0 } as const;
    const heartbeat = new Heartbeat(path, { ...start, of: 3, loss: null, eta_s: null, memory: 0 });
    const read = () => {
      try {
        return TrainingStatus.parse(JSON.parse(readFileSync(path, 'utf8')));
      } catch {
        return null;
      }
    };
    // Nothing else runs on this thread until two beats have come.
    const times = new Set<string>();
    const cell = new Int32Array(new SharedArrayBuffer(4));
    for (let looks = 0; times.size < 2 && looks < 2000; looks++) {
      const found = read();
      if (found) times.add(found.time);
      Atomics.wait(cell, 0, 0, 10);
    }
    assert.equal(times.size, 2);
    heartbeat.set({ step: 2, loss: 1.5 });
    await heartbeat.end({ state: 'stopped', message: 'Stopped.' });
    const last = read();
    assert.deepEqual([last?.state, last?.step, last?.loss, last?.message], ['stopped', 2, 1.5, 'Stopped.']);
  });

  it('that cannot be written stops nothing', async () => {
    const start = { process: { pid: 1, start: null }, state: 'training', message: '', step: 0 } as const;
    const heartbeat = new Heartbeat(join(folder.path, 'no folder', 'status.json'), {
      ...start,
      of: null,
      loss: null,
      eta_s: null,
      memory: 0,
    });
    await heartbeat.end({ state: 'done' });
  });
});

describe('wishes to a trainer', () => {
  it('are files that it takes away when it has done them', () => {
    const { control: path } = newPaths();
    const control = new Control(path);
    assert.equal(control.asks('stop'), false);
    writeFileSync(join(path, 'stop'), '');
    assert.deepEqual([control.asks('stop'), control.asks('checkpoint')], [true, false]);
    control.done('stop');
    assert.equal(control.asks('stop'), false);
  });
});

describe('the settings of a run', () => {
  const given = { model: { base: '/m.gguf' }, data: { train: '/d.jsonl' } };
  const complete = (settings: object, parameters: number | null = null) =>
    completeConfig(
      { ...given, ...settings },
      'config.json',
      parameters === null ? null : { parameters, maxPositions: 2048 },
    );

  it('get rank, rate and passes by the size of the model where they are left out', () => {
    const small = complete({}, 135e6);
    assert.deepEqual([small.lora.r, small.lora.alpha, small.optimiser.lr], [64, 128, 1e-3]);
    const coder = complete({}, 1.5e9);
    assert.deepEqual([coder.lora.r, coder.optimiser.lr, coder.length.epochs], [16, 2e-4, 3]);
    assert.equal(complete({}, 4e9).optimiser.lr, 1.5e-4);
    assert.deepEqual(complete({ lora: { r: 8 } }, 135e6).lora.r, 8);
    assert.equal(small.data.max_length, 2048, 'what the model was made for');
    const long = complete({ data: { train: '/d', max_length: 9000 } }, 135e6);
    assert.deepEqual([long.data.max_length, long.batch.pack_tokens], [9000, 9000]);
  });

  it('are refused with every field that does not fit and what is allowed there', () => {
    const wrong = {
      optimiser: { betas: [0.9, 1], clip: 0, rate: 1 },
      lora: { targets: ['q_proj', 'lm_head'] },
      length: { steps: 1.5 },
      device: 'tpu',
      data: { held_out: 1 },
    };
    assert.throws(() => complete(wrong), {
      code: 'config_invalid',
      data: {
        path: 'config.json',
        problems: [
          '"optimiser.rate" is no setting; in "optimiser" there are lr, betas, eps, weight_decay, clip.',
          '"data.train" is missing; allowed is a text.',
          '"data.held_out" is 1; allowed is a number at least 0 and below 1.',
          '"lora.targets.1" is "lm_head"; allowed is one of q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj.',
          '"optimiser.betas.1" is 1; allowed is a number at least 0 and below 1.',
          '"optimiser.clip" is 0; allowed is a number above 0 or null.',
          '"length.steps" is 1.5; allowed is a whole number at least 1 or null.',
          '"device" is "tpu"; allowed is one of auto, cpu, cuda.',
        ],
      },
    });
  });

  it('are refused where paths depend on the working directory, and numbers are beyond all machines', () => {
    const wrong = {
      model: { base: 'model.gguf' },
      data: { train: '/d', eval: '../dev.jsonl' },
      length: { epochs: 1e308 },
      threads: 10_000,
      results: 'results',
    };
    assert.throws(
      () => complete(wrong),
      (error) => {
        assert.ok(error instanceof AppError);
        assert.deepEqual(error.data['problems'], [
          '"model.base" is "model.gguf"; allowed is an absolute path.',
          '"data.eval" is "../dev.jsonl"; allowed is an absolute path.',
          '"results" is "results"; allowed is an absolute path.',
          '"length.epochs" is 1e+308; allowed is a number above 0 and at most 1000000.',
          '"threads" is 10000; allowed is a whole number at least 1 and at most 256 or null.',
        ]);
        return true;
      },
    );
  });

  it('have one hash in whatever order they are written, and another with any change', () => {
    const one = configHash(complete({ seed: 1, device: 'cpu' }));
    assert.equal(configHash(complete({ device: 'cpu', seed: 1 })), one);
    assert.notEqual(configHash(complete({ device: 'cpu', seed: 2 })), one);
  });

  it('give rise to warnings where they are probably not meant', () => {
    const facts = {
      parameters: 1.5e9,
      maxPositions: 4096,
      examples: 100,
      longest: 300,
      steps: 19,
      memory: { needed: 1e9, there: 8e9 },
    };
    assert.deepEqual(configWarnings(complete({ schedule: { warmup: 0.06 } }), facts), []);
    const warned = (settings: object, changes: object = {}) =>
      configWarnings(complete(settings), { ...facts, ...changes }).join('\n');
    assert.match(warned({ optimiser: { lr: 2e-5 } }), /one for full fine-tuning/);
    assert.match(warned({ optimiser: { lr: 5e-3 } }), /may diverge/);
    assert.match(warned({ data: { train: '/d', max_length: 8192 } }), /made for 4096 tokens/);
    assert.match(warned({ batch: { examples: 200 } }), /more than the 100 that there are/);
    assert.match(warned({}, { memory: { needed: 9e9, there: 8e9 } }), /at least 9\.0 GB, and this machine has 8\.0 GB/);
  });
});
