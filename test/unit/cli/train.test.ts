import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from '../../../src/cli/verb.ts';
import { verb } from '../../../src/cli/verbs/train.ts';
import { RUN_FILES } from '../../../src/protocol/training.ts';
import { readModelEntry } from '../../../src/runtime/model/manifest.ts';
import { identityOf } from '../../../src/runtime/trainer/process-identity.ts';
import { sqlAgent } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { TrainingRunFolder } from '../../support/training-run.ts';

describe('sql-agent train', function () {
  this.timeout(60_000);
  const temporary = temporaryFolder();
  after(() => temporary.remove());
  const call = (words: string[]) =>
    sqlAgent(['train', ...words], { cwd: temporary.path, env: { SQL_AGENT_HOME: join(temporary.path, 'home') } });
  const json = async (words: string[]) => {
    const { code, stdout } = await call([...words, '--json']);
    return { code, answer: JSON.parse(stdout) };
  };
  /** Runs the verb in this process: errors come as they are thrown. */
  const within = async (words: string[]) => {
    const { values, positionals } = parseArgs({ args: words, options: verb.options, allowPositionals: true });
    const silent = () => undefined;
    const out = { jsonMode: false, colour: false, width: 80, line: silent, write: silent, log: silent, json: silent };
    const { signal } = new AbortController();
    return await verb.run({ out, env: {}, cwd: temporary.path, signal }, { positionals, values: { ...values } });
  };
  const runIn = (name: string) => new TrainingRunFolder(join(temporary.path, 'training-runs', name), 100);

  it('says what is wrong with a call before anything is made', async () => {
    writeFileSync(join(temporary.path, 'pairs.jsonl'), '{}\n');
    const data = ['--data', 'pairs.jsonl'];
    const wrong: [string[], number, RegExp][] = [
      [[], 2, /train needs an action: sft, list/],
      [['walk'], 2, /train has no action "walk"/],
      [['sft', ...data], 2, /needs --base/],
      [['sft', '--base', 'small'], 2, /needs --data/],
      [['sft', '--base', 'small', ...data, '--r', '0'], 2, /--r takes a whole number from 1 to 1024/],
      [['sft', '--base', 'small', ...data, '--lr=-1'], 2, /--lr takes a number above 0/],
      [['sft', '--base', 'small', ...data, '--device', 'tpu'], 2, /--device takes one of auto, cpu, cuda/],
      [['list', '--r', '8'], 2, /--r does not go with "train list"/],
      [['show'], 2, /needs a run/],
      [['sft', '--base', 'huge', ...data], 1, /no base model "huge"\. Give small, coder/],
      [['sft', '--base', './absent.gguf', ...data], 1, /There is no model at .*absent\.gguf/],
      [['sft', '--base', 'pairs.jsonl', '--data', 'absent.jsonl'], 1, /There is no file .*absent\.jsonl to train on/],
      [['sft', '--base', 'pairs.jsonl', ...data, '--adapter', 'absent'], 1, /There is no adapter at .*absent/],
      [['show', 'absent'], 1, /no training run "absent" in .*training-runs/],
    ];
    for (const [words, expected, message] of wrong)
      await assert.rejects(within(words), (error: Error) => {
        assert.match(error.message, message);
        assert.equal(error instanceof UsageError ? 2 : 1, expected, words.join(' '));
        return true;
      });
    assert.equal((await call(['walk'])).code, 2);
    assert.deepEqual(readdirSync(temporary.path).sort(), ['pairs.jsonl']);
  });

  it('takes no folder in which something is', async () => {
    mkdirSync(join(temporary.path, 'taken'));
    writeFileSync(join(temporary.path, 'taken/file'), '');
    const { code, stderr } = await call(['sft', '--base', 'pairs.jsonl', '--data', 'pairs.jsonl', '--out', 'taken']);
    assert.match(stderr, /taken is not empty\. Give a new folder/);
    assert.equal(code, 1);
    assert.deepEqual(readdirSync(join(temporary.path, 'taken')), ['file']);
  });

  it('takes the folder of a run that failed before it learned anything, and of no other', async () => {
    writeFileSync(join(temporary.path, 'bad.jsonl'), '{}\n');
    const again = ['sft', '--base', 'bad.jsonl', '--data', 'bad.jsonl', '--out'];
    runIn('false').beat({ state: 'failed', step: 0, message: 'Line 1 is bad.' }).print('what was said\n');
    const falseStart = await call([...again, 'training-runs/false']);
    assert.match(falseStart.stderr, /training in training-runs\/false/);
    const kept = [
      runIn('learned').begin().steps(1, 3).beat({ state: 'failed', step: 3, message: 'The disk is full.' }),
      runIn('stopped').begin().beat({ state: 'stopped', step: 0 }),
      runIn('noted').beat({ state: 'failed', step: 0 }),
    ];
    writeFileSync(join(temporary.path, 'training-runs/noted/notes.txt'), 'mine');
    for (const { path } of kept) {
      const before = readdirSync(path);
      assert.match((await call([...again, path])).stderr, /is not empty/);
      assert.deepEqual(readdirSync(path), before);
    }
    for (const name of readdirSync(join(temporary.path, 'training-runs')))
      rmSync(join(temporary.path, 'training-runs', name), { recursive: true });
  });

  it('lists the runs, the last one first, and shows one', async () => {
    assert.match((await call(['list'])).stdout, /No training runs in .*training-runs yet/);
    runIn('first').begin().steps(1, 100, 25).beat({ state: 'done', step: 100 });
    const { stdout } = await call(['list']);
    assert.match(stdout, /first +done +100 of 100 +0\.\d+ +SmolLM2-135M\.gguf/);
    const shown = await call(['show', 'latest']);
    assert.match(shown.stdout, /first: done\. The run is done\./);
    assert.match(shown.stdout, /Base +SmolLM2-135M, 134\.5 M parameters/);
    assert.match(shown.stdout, /Computed +819,200 tokens, 41\.5 % saved by shared prefixes/);
    assert.match(shown.stdout, /100 +0\.\d+ +96\.\d %/);
    assert.match(shown.stdout, /Last checkpoint: checkpoints\/step-100, after step 100/);
    const { answer } = await json(['show', join('training-runs', 'first')]);
    assert.deepEqual([answer.status, answer.state, answer.step, answer.evals.length], ['ok', 'done', 100, 4]);
  });

  it('says how to use what was trained: a local model answers with it', async () => {
    const { path } = runIn('used').begin().steps(1, 2).beat({ state: 'done', step: 2 });
    const file = join(path, RUN_FILES.run);
    const run = JSON.parse(readFileSync(file, 'utf8'));
    run.base.file.sha256 = readModelEntry('small').base.sha256;
    writeFileSync(file, JSON.stringify(run));
    const { stdout } = await call(['show', 'used']);
    const adapter = '--model small --adapter training-runs/used/adapter.gguf';
    assert.ok(stdout.includes(`ask with it: sql-agent ask DB "question" ${adapter}\n`), stdout);
    assert.ok(stdout.includes(`measure it:  sql-agent eval --dataset FILE ${adapter}\n`), stdout);
  });

  it('follows a run to its end, and tells what comes', async () => {
    const run = runIn('live').begin().steps(1, 10);
    const own = await identityOf(process.pid);
    run.beat({ state: 'training', step: 10, process: own, eta_s: 90 });
    const { code, stdout, stderr } = await sqlAgent(['train', 'follow', 'live'], {
      cwd: temporary.path,
      onStart: (child) =>
        child.stderr?.once('data', () => {
          run.steps(11, 20, 20);
          run.append({ kind: 'end', time: '', step: 20, state: 'done', message: 'Done.' });
          run.beat({ state: 'done', step: 20, process: own, message: 'All 20 steps are done.' });
        }),
    });
    assert.match(stderr, /^step 10 of 100 · loss 0\.\d+|^step 10 of 100 · loss \d/m);
    assert.match(stderr, /step 20: evaluation loss \d\.\d+, \d+\.\d % of tokens, the best/);
    assert.match(stderr, /step 20: checkpoint checkpoints\/step-20/);
    assert.match(
      stdout,
      /All 20 steps are done\.\nLowest evaluation loss: \d\.\d+\nAdapter: training-runs\/live\/adapter \(PEFT\), adapter\.gguf beside it\n {2}make a model of it: sql-agent-trainer export training-runs\/live --to merged-q8_0/,
    );
    assert.equal(code, 0);
  });

  it('leaves a run alone at Ctrl-C, and says how to follow and stop it', async () => {
    const run = runIn('alone').begin().steps(1, 3);
    run.beat({ state: 'training', step: 3, process: await identityOf(process.pid) });
    const { code, stdout } = await sqlAgent(['train', 'follow', 'alone'], {
      cwd: temporary.path,
      onStart: (child) => child.stderr?.once('data', () => child.kill('SIGINT')),
    });
    assert.match(
      stdout,
      /The run goes on without this terminal\.\n {2}follow it: sql-agent train follow training-runs\/alone/,
    );
    assert.match(stdout, /stop it: {3}sql-agent train stop training-runs\/alone/);
    assert.equal(code, 130);
    assert.equal(existsSync(join(run.path, RUN_FILES.control)), false);
  });

  it('tells the time that is left after the step that it shows, where the heartbeat is a step behind', async () => {
    const run = runIn('behind').begin().steps(1, 6);
    run.beat({ state: 'training', step: 5, process: await identityOf(process.pid), eta_s: 950 });
    const { stderr } = await sqlAgent(['train', 'follow', 'behind'], {
      cwd: temporary.path,
      onStart: (child) => child.stderr?.once('data', () => child.kill('SIGINT')),
    });
    assert.match(stderr, /^step 6 of 100 · .* · 15 min 40 s left$/m);
  });

  it('asks a running trainer to stop or to save, and no other', async () => {
    const run = runIn('wishes').begin();
    run.beat({ state: 'training', step: 1, process: await identityOf(process.pid) });
    for (const action of ['stop', 'checkpoint']) {
      assert.equal((await call([action, 'wishes'])).code, 0);
      assert.equal(existsSync(join(run.path, RUN_FILES.control, action)), true);
    }
    run.beat({ state: 'stopped', step: 2 });
    const { code, stderr } = await call(['stop', 'wishes']);
    assert.match(stderr, /No trainer is working on .*wishes: the run is stopped/);
    assert.equal(code, 1);
  });

  it('exits 1 with the message of a run that failed', async () => {
    runIn('bad').beat({ state: 'failed', step: 0, message: 'Line 7 of pairs.jsonl is no JSON.' });
    const { code, answer } = await json(['follow', 'bad']);
    assert.deepEqual([code, answer.code], [1, 'training_failed']);
    assert.match(answer.message, /^Line 7 of pairs\.jsonl is no JSON\. The run is in .*bad/);
  });
});
