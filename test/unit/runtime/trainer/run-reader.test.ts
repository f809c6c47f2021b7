import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../../src/protocol/errors.ts';
import { RUN_FILES } from '../../../../src/protocol/training.ts';
import { identityOf } from '../../../../src/runtime/trainer/process-identity.ts';
import { LAUNCH_FILE } from '../../../../src/runtime/trainer/run-files.ts';
import { RunReader, readSnapshot } from '../../../../src/runtime/trainer/run-reader.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { NOBODY, stepEvent, TrainingRunFolder } from '../../../support/training-run.ts';

/** Makes the heartbeat of a run look as old as this. */
function age(run: TrainingRunFolder, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(join(run.path, RUN_FILES.status), then, then);
}

describe('a run directory, read', () => {
  const temporary = temporaryFolder();
  after(() => temporary.remove());
  let count = 0;
  const newRun = (of = 100) => {
    count += 1;
    return new TrainingRunFolder(join(temporary.path, `run-${count}`), of);
  };

  it('has the events that came since the last look, each once, and a line that is not whole later', async () => {
    const run = newRun().begin().steps(1, 3).beat({ state: 'training', step: 3 });
    const seen: number[] = [];
    const reader = new RunReader(run.path, (event) => seen.push(event.step));
    await reader.read();
    assert.deepEqual(seen, [1, 2, 3]);
    const line = JSON.stringify(stepEvent(4, 100));
    const events = join(run.path, RUN_FILES.events);
    appendFileSync(events, line.slice(0, 50));
    await reader.read();
    assert.equal(reader.history.steps.length, 3);
    appendFileSync(events, `${line.slice(50)}\n`);
    await reader.read();
    assert.deepEqual(seen, [1, 2, 3, 4]);
    assert.equal(reader.history.steps.last('loss'), stepEvent(4, 100).loss);
  });

  it('passes over lines that are no events', async () => {
    const run = newRun().begin().steps(1, 1);
    appendFileSync(join(run.path, RUN_FILES.events), '{"kind":"step","loss":null}\n{"kind":"st\n\n{"kind":"other"}\n');
    run.steps(2, 2);
    const reader = new RunReader(run.path);
    await reader.read();
    assert.deepEqual([...reader.history.steps.column('step')], [1, 2]);
  });

  it('forgets what a resume made void: steps, evaluations, checkpoints and the end', async () => {
    const run = newRun().begin().steps(1, 20, 5);
    run.append({ kind: 'end', time: '2026-11-30T08:00:00Z', step: 20, state: 'stopped', message: 'Stopped.' });
    const reader = new RunReader(run.path);
    await reader.read();
    assert.equal(reader.history.end?.state, 'stopped');
    run.append({ kind: 'start', time: '2026-11-30T09:00:00Z', step: 10, of: 100 }).steps(11, 12);
    await reader.read();
    const { steps, evals, checkpoints, end, cuts } = reader.history;
    assert.equal(steps.length, 12);
    assert.deepEqual(
      [evals.map(({ step }) => step), checkpoints.map(({ step }) => step)],
      [
        [5, 10],
        [5, 10],
      ],
    );
    assert.deepEqual([end, cuts], [null, 1]);
  });

  it('begins anew where the events are fewer than before', async () => {
    const run = newRun().begin().steps(1, 50);
    const reader = new RunReader(run.path);
    await reader.read();
    truncateSync(join(run.path, RUN_FILES.events), 0);
    run.steps(1, 2);
    await reader.read();
    assert.equal(reader.history.steps.length, 2);
  });

  it('reads events that are longer together than what is read at once', async () => {
    const run = newRun(9000).begin().steps(1, 9000);
    run.append({ kind: 'note', time: 'now', step: 9000, text: 'x'.repeat(3 << 20) });
    const reader = new RunReader(run.path);
    await reader.read();
    assert.equal(reader.history.steps.length, 9000);
    assert.equal(reader.history.notes[0]?.text.length, 3 << 20);
  });

  it('takes the word of a trainer that is there, however old its heartbeat is', async () => {
    const run = newRun().begin();
    run.beat({ state: 'training', step: 5, process: await identityOf(process.pid) });
    age(run, 3600);
    assert.equal((await readSnapshot(run.path)).state, 'training');
  });

  it('has died where the heartbeat is old and the process is gone, or another has its number', async () => {
    const own = await identityOf(process.pid);
    for (const gone of [NOBODY, { pid: own.pid, start: own.start === null ? null : `${own.start}0` }]) {
      if (gone.start === null) continue;
      const run = newRun().begin().beat({ state: 'training', step: 5, process: gone });
      assert.equal((await readSnapshot(run.path)).state, 'training');
      age(run, 30);
      const { state, message } = await readSnapshot(run.path);
      assert.equal(state, 'died');
      assert.match(message, /after step 5/);
    }
  });

  it('has ended where the trainer said so, whoever has its number', async () => {
    for (const state of ['done', 'stopped', 'failed'] as const) {
      const run = newRun().begin().beat({ state, step: 5 });
      age(run, 3600);
      assert.equal((await readSnapshot(run.path)).state, state);
    }
  });

  it('is starting until the trainer that was launched last says something, and has died where that is gone', async () => {
    const run = newRun().beat({ state: 'stopped', step: 5, time: '2026-11-30T08:00:00Z' });
    const launch = (process: object) =>
      writeFileSync(join(run.path, LAUNCH_FILE), JSON.stringify({ v: 1, time: '2026-11-30T09:00:00Z', process }));
    launch(await identityOf(process.pid));
    assert.equal((await readSnapshot(run.path)).state, 'starting');
    launch({ ...NOBODY, start: '2' });
    assert.equal((await readSnapshot(run.path)).state, 'died');
    run.beat({ state: 'stopped', step: 5, time: '2026-11-30T09:00:01Z' });
    assert.equal((await readSnapshot(run.path)).state, 'stopped');
    launch(await identityOf(process.pid));
    assert.equal((await readSnapshot(run.path)).state, 'starting', 'the clock was set back meanwhile');
  });

  it('is refused where it is no run, or one of its files is damaged', async () => {
    await assert.rejects(readSnapshot(temporary.path), { code: 'training_run_missing' });
    for (const damage of [
      (file: string) => writeFileSync(file, '{'),
      (file: string) => writeFileSync(file, '{"v":1}'),
      (file: string) => mkdirSync(file),
    ]) {
      const run = newRun();
      damage(join(run.path, RUN_FILES.run));
      await assert.rejects(readSnapshot(run.path), (error) => {
        assert.ok(error instanceof AppError && error.code === 'training_run_damaged');
        assert.match(error.message, /^\S+run\.json cannot be read \([^\n]+\)\. Restore the file/);
        return true;
      });
    }
    const run = newRun();
    mkdirSync(join(run.path, RUN_FILES.events));
    await assert.rejects(new RunReader(run.path).read(), { code: 'training_run_damaged' });
  });

  it('does without a heartbeat that a power cut left empty: the run can be looked at and taken up again', async () => {
    const run = newRun().begin().steps(1, 3);
    writeFileSync(join(run.path, RUN_FILES.status), '');
    writeFileSync(join(run.path, LAUNCH_FILE), '');
    const config = join(run.path, RUN_FILES.config);
    utimesSync(config, Date.now() / 1000 - 60, Date.now() / 1000 - 60);
    assert.deepEqual([(await readSnapshot(run.path)).state, (await readSnapshot(run.path)).status], ['died', null]);
  });

  it('is dead where its trainer is gone, also by a heartbeat from before the clock was set back', async () => {
    const run = newRun().begin().beat({ state: 'training', step: 3, process: NOBODY });
    age(run, -3600);
    assert.equal((await readSnapshot(run.path)).state, 'died');
  });
});
