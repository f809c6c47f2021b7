import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TrainingEvent } from '../../../../src/protocol/training.ts';
import { askTrainer } from '../../../../src/runtime/trainer/control.ts';
import { type FollowOptions, followRun } from '../../../../src/runtime/trainer/follow.ts';
import { launchTrainer, makeRunFolder } from '../../../../src/runtime/trainer/launch.ts';
import { identityOf, isSameProcess } from '../../../../src/runtime/trainer/process-identity.ts';
import { resumeTraining } from '../../../../src/runtime/trainer/resume.ts';
import { readLaunch, readTrainerLog } from '../../../../src/runtime/trainer/run-files.ts';
import { projectRoot } from '../../../support/cli.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { TrainingRunFolder } from '../../../support/training-run.ts';

const SCRIPTED = join(projectRoot, 'test/support/scripted-trainer.ts');
const SETTINGS = { model: { base: '/models/a.gguf' }, data: { train: '/data/a.jsonl' } };
const nothing = () => undefined;

/** Follows with an ear for events. */
function options(more: Partial<FollowOptions> = {}): FollowOptions {
  return { signal: AbortSignal.timeout(30_000), onPast: nothing, onEvent: nothing, onSnapshot: nothing, ...more };
}

describe('a trainer that is started', function () {
  this.timeout(60_000);
  const temporary = temporaryFolder();
  after(() => temporary.remove());
  const folder = (name: string) => join(temporary.path, name);

  it('is followed to its end, and stops when it is asked to', async () => {
    const path = folder('followed');
    await makeRunFolder(path, SETTINGS);
    const launched = await launchTrainer(path, { program: SCRIPTED });
    const kinds: TrainingEvent['kind'][] = [];
    const states = new Set<string>();
    const onEvent = ({ kind }: TrainingEvent) => kinds.push(kind);
    const following = followRun(
      path,
      false,
      options({ ended: launched.ended, onEvent, onSnapshot: ({ state }) => states.add(state) }),
    );
    await askTrainer(path, 'stop');
    const { snapshot, isDetached } = await following;
    assert.deepEqual([snapshot.state, isDetached], ['stopped', false]);
    assert.deepEqual([kinds[0], kinds.at(-1)], ['start', 'end']);
    assert.ok(states.has('starting') || states.has('training'));
    assert.equal(await launched.ended, 'exit code 0');
    assert.equal(await readTrainerLog(path), 'the trainer has begun');
    assert.equal((await readLaunch(path))?.process.pid, launched.pid);
    await assert.rejects(askTrainer(path, 'stop'), { code: 'training_run_inactive' });
  });

  it('outlives whoever started it, together with all of its process group', async () => {
    const path = folder('outlives');
    await makeRunFolder(path, SETTINGS);
    const launch = pathToFileURL(join(projectRoot, 'src/runtime/trainer/launch.ts')).href;
    const script = `const { launchTrainer } = await import(${JSON.stringify(launch)});
      await launchTrainer(${JSON.stringify(path)}, { program: ${JSON.stringify(SCRIPTED)} });
      process.kill(-process.pid, 'SIGKILL');`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { detached: true, stdio: 'ignore' });
    const [, signal] = await once(parent, 'exit');
    assert.equal(signal, 'SIGKILL');
    const first = await followRun(path, true, options({ signal: AbortSignal.abort() }));
    assert.equal(first.isDetached, true);
    const trainer = (await readLaunch(path))?.process;
    assert.ok(trainer && (await isSameProcess(trainer)));
    await assert.rejects(resumeTraining(path), { code: 'training_run_active' });
    await askTrainer(path, 'stop');
    assert.equal((await followRun(path, true, options())).snapshot.state, 'stopped');
  });

  it('has died where it ends without a word; what it printed is kept', async () => {
    const path = folder('dies');
    await makeRunFolder(path, SETTINGS);
    const program = join(temporary.path, 'dies.mjs');
    writeFileSync(program, "console.error('no memory'); process.exit(3);");
    const { ended } = await launchTrainer(path, { program });
    const { snapshot } = await followRun(path, false, options({ ended }));
    assert.equal(snapshot.state, 'died');
    assert.equal(await readTrainerLog(path), 'no memory');
  });

  it('goes on with a run that was stopped, and not with one that is done', async () => {
    const path = folder('resumed');
    const run = new TrainingRunFolder(path, 1000).begin().steps(1, 9);
    run.beat({ state: 'done', step: 9, time: '2026-11-01T08:00:00Z' });
    await assert.rejects(resumeTraining(path), { code: 'training_run_done' });
    run.beat({ state: 'stopped', step: 9, time: '2026-11-01T08:00:00Z' });
    const { ended } = await resumeTraining(path, { program: SCRIPTED });
    await askTrainer(path, 'stop');
    assert.equal((await followRun(path, true, options({ ended }))).snapshot.state, 'stopped');
  });
});

describe('the folder of a run', () => {
  const temporary = temporaryFolder();
  after(() => temporary.remove());

  it('is made, or taken where it is empty, and never where something is in it', async () => {
    const path = join(temporary.path, 'a/b');
    await makeRunFolder(path, SETTINGS);
    await assert.rejects(makeRunFolder(path, SETTINGS), { code: 'training_folder_taken' });
    mkdirSync(join(temporary.path, 'empty'));
    await makeRunFolder(join(temporary.path, 'empty'), SETTINGS);
    writeFileSync(join(temporary.path, 'file'), '');
    await assert.rejects(makeRunFolder(join(temporary.path, 'file/run'), SETTINGS), {
      code: 'training_folder_unwritable',
    });
  });
});

describe('which process it is', () => {
  it('is told by its number and its start', async () => {
    const own = await identityOf(process.pid);
    assert.equal(await isSameProcess(own), true);
    assert.equal(await isSameProcess({ pid: own.pid, start: null }), true);
    if (own.start !== null) assert.equal(await isSameProcess({ pid: own.pid, start: 'another' }), false);
    assert.equal(await isSameProcess({ pid: 2 ** 22 + 1, start: null }), false);
  });
});
