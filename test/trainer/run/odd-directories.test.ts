import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../src/protocol/errors.ts';
import { type TrainerHere, trainerHere, trainHere } from '../support/here.ts';
import { eventsOf, historyOf, runFolder } from '../support/trainer.ts';

describe('a run directory that somebody else handles', function () {
  this.timeout(60_000);
  let here: TrainerHere;
  let made = 0;
  before(() => {
    here = trainerHere();
  });
  after(() => here.remove());

  const newRun = (changes: Record<string, unknown> = {}) =>
    runFolder(here.path, `run-${made++}`, here.settings(changes));

  it('ends the training where it is moved, and goes on where it is then, to the same end', async () => {
    const folder = newRun();
    const moved = `${folder}-moved`;
    await assert.rejects(
      trainHere(folder, {
        onEvent: (event) => {
          if (event.kind === 'step' && event.step === 3) renameSync(folder, moved);
        },
      }),
      { code: 'run_moved' },
    );
    assert.ok(!existsSync(join(folder, 'checkpoints')), 'nothing is made where it was');
    // Its holder, this process, still lives.
    rmSync(join(moved, 'lock'));
    assert.equal((await trainHere(moved)).state, 'done');
    assert.deepEqual([...historyOf(moved).steps.column('step')], [1, 2, 3, 4, 5, 6]);
  });

  it('ends the training where it is removed', async () => {
    const folder = newRun();
    const run = trainHere(folder, {
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 2) rmSync(folder, { recursive: true });
      },
    });
    await assert.rejects(run, (error) => error instanceof AppError && error.code === 'run_moved');
    assert.ok(!existsSync(join(folder, 'checkpoints')));
  });

  it('ends the training where another trainer has taken it', async () => {
    const folder = newRun();
    const lock = join(folder, 'lock');
    const other = JSON.stringify({ pid: process.ppid, start: null, host: 'elsewhere' });
    const run = trainHere(folder, {
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 1) writeFileSync(lock, other);
      },
    });
    await assert.rejects(run, { code: 'run_moved' });
    assert.ok(existsSync(lock), "the other's lock stays");
  });

  it('takes folders in the place of wishes for wishes, once', async () => {
    const folder = newRun({ every: { eval: 50, checkpoint: 50 } });
    const first = await trainHere(folder, {
      onEvent: (event) => {
        if (event.kind !== 'step') return;
        if (event.step === 1) mkdirSync(join(folder, 'control/checkpoint/x'), { recursive: true });
        if (event.step === 3) mkdirSync(join(folder, 'control/stop'));
      },
    });
    assert.deepEqual([first.state, readdirSync(join(folder, 'control'))], ['stopped', []]);
    assert.equal((await trainHere(folder)).state, 'done');
    const told = eventsOf(folder).flatMap((event) => (event.kind === 'checkpoint' ? [event.step] : []));
    assert.deepEqual(told, [1, 3, 6]);
  });

  it('does not train over checkpoints whose record is lost', async () => {
    const folder = newRun();
    await trainHere(folder);
    const before = readdirSync(join(folder, 'checkpoints'));
    rmSync(join(folder, 'run.json'));
    await assert.rejects(trainHere(folder), { code: 'run_damaged' });
    assert.deepEqual(readdirSync(join(folder, 'checkpoints')), before);
    rmSync(join(folder, 'checkpoints'), { recursive: true });
    assert.equal((await trainHere(folder)).state, 'done');
  });

  it('is refused before a step where the tokenizer gives a token that the model does not know', async () => {
    const base = join(here.path, 'other-tokenizer');
    cpSync(here.base, base, { recursive: true });
    const file = join(base, 'tokenizer.json');
    const tokenizer = JSON.parse(readFileSync(file, 'utf8'));
    tokenizer.added_tokens.push({ id: 320, content: 'b = 7', special: false });
    writeFileSync(file, JSON.stringify(tokenizer));
    const folder = newRun({ model: { base } });
    await assert.rejects(trainHere(folder), { code: 'tokenizer_mismatch' });
    assert.ok(!existsSync(join(folder, 'run.json')));
  });

  it('is told in a note where it goes on from an adapter of another base', async () => {
    const base = join(here.path, 'other-base');
    cpSync(here.base, base, { recursive: true });
    const weights = readFileSync(join(base, 'model.safetensors'));
    weights.writeFloatLE(weights.readFloatLE(weights.length - 4) + 1, weights.length - 4);
    writeFileSync(join(base, 'model.safetensors'), weights);
    const first = newRun();
    await trainHere(first);
    const folder = newRun({ model: { base, adapter: join(first, 'adapter') }, length: { epochs: 1, steps: 1 } });
    await trainHere(folder);
    const notes = eventsOf(folder).flatMap((event) => (event.kind === 'note' ? [event.text] : []));
    assert.ok(
      notes.some((text) => /adapter was trained on another base/.test(text)),
      notes.join(),
    );
  });

  it('says of an adapter beyond float16 that it has diverged, and keeps its checkpoint', async () => {
    const optimiser = { betas: [0, 0], eps: 1e-300, weight_decay: 1e5 };
    const folder = newRun({ optimiser, data: { train: here.data, held_out: 0 }, length: { epochs: 1, steps: 4 } });
    await assert.rejects(trainHere(folder), { code: 'adapter_out_of_range', message: /diverged/ });
    assert.ok(existsSync(join(folder, 'checkpoints/step-000004')));
  });

  it('is refused before a step where something else is in the place of lock or checkpoints', async () => {
    for (const [name, make] of [
      ['lock', (path: string) => mkdirSync(path)],
      ['checkpoints', (path: string) => writeFileSync(path, '')],
    ] as const) {
      const folder = newRun();
      make(join(folder, name));
      await assert.rejects(trainHere(folder), (error) => {
        assert.ok(error instanceof AppError && error.code === 'run_unwritable', String(error));
        assert.match(error.message, new RegExp(`${name} cannot be written .*Nothing was started`));
        return true;
      });
    }
  });
});
