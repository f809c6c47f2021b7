import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { RunSide } from '../../../../src/host/train/side.ts';
import { trainWords } from '../../../../src/host/train/train-words.ts';
import { withBuckets } from '../../../../webview-ui/training/curves.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { TrainingRunFolder } from '../../../support/training-run.ts';

describe('a run, told to its view', () => {
  const temporary = temporaryFolder();
  after(() => temporary.remove());

  it('is told whole at first, and then what is new alone', async () => {
    const run = new TrainingRunFolder(join(temporary.path, 'run'), 1000).begin().steps(1, 200, 100);
    run.beat({ state: 'stopped', step: 200 });
    const side = new RunSide(run.path);
    const first = await side.look();
    assert.deepEqual([first.facts?.state, first.facts?.step, first.facts?.of], ['stopped', 200, 1000]);
    assert.deepEqual(
      first.marks?.checkpoints.map(({ step, best }) => [step, best]),
      [
        [100, false],
        [200, true],
      ],
    );
    assert.equal(first.change?.buckets.steps.length, 200);
    const second = await side.look();
    assert.deepEqual([second.facts, second.marks, second.change], [null, null, null]);
    run.steps(201, 202);
    const third = await side.look();
    assert.equal(third.facts?.step, 202);
    assert.deepEqual([third.marks, third.change?.keep], [null, 199]);
    side.forget();
    const again = await side.look();
    assert.deepEqual([again.facts?.step, again.change?.keep, again.marks?.evals.length], [202, 0, 2]);
  });

  it('tells a long run as far as it is read, and then the rest of it', async () => {
    const run = new TrainingRunFolder(join(temporary.path, 'long'), 30_000).begin().steps(1, 30_000);
    run.beat({ state: 'stopped', step: 30_000 });
    const side = new RunSide(run.path);
    assert.equal(await side.soFar(), null);
    let isDone = false;
    const reading = side.look().finally(() => {
      isDone = true;
    });
    let early = await side.soFar();
    for (; early === null && !isDone; early = await side.soFar()) await setImmediate();
    assert.deepEqual([early?.facts?.state, early?.facts?.step], ['stopped', 30_000]);
    const known = early?.change ?? null;
    assert.ok(known !== null && known.buckets.steps.length > 0);
    const { change, facts } = await reading;
    assert.ok(facts !== null && change !== null);
    const { range } = side.stream;
    const joined = withBuckets(withBuckets(null, { type: 'buckets', run: 'a', range, ...known }), {
      ...{ type: 'buckets', run: 'a', range },
      ...change,
    });
    assert.deepEqual(joined.buckets, (await new RunSide(run.path).look()).change?.buckets);
    assert.equal(await side.soFar(), null);
  });

  it('says how its adapter is used once it is done', async () => {
    const run = new TrainingRunFolder(join(temporary.path, 'done'), 3).begin().steps(1, 3);
    const side = new RunSide(run.path);
    run.beat({ state: 'stopped', step: 3 });
    assert.deepEqual((await side.look()).facts?.uses, []);
    run.beat({ state: 'done', step: 3 });
    const command = `sql-agent-trainer export ${run.path} --to merged-q8_0 --out model.gguf`;
    assert.deepEqual((await side.look()).facts?.uses, [{ what: 'make a model of it', command }]);
  });

  it('has the checkpoints that are on the disk', async () => {
    const run = new TrainingRunFolder(join(temporary.path, 'kept'), 300).begin().steps(1, 300, 100);
    rmSync(join(run.path, 'checkpoints/step-100'), { recursive: true });
    const { marks } = await new RunSide(run.path).look();
    assert.deepEqual(
      marks?.checkpoints.map(({ step }) => step),
      [200, 300],
    );
    assert.equal(marks?.evals.length, 3);
  });

  it('has at most a thousand evaluations, the last one among them', async () => {
    const run = new TrainingRunFolder(join(temporary.path, 'many'), 2501).begin();
    for (let step = 1; step <= 2501; step += 1)
      run.append({ kind: 'eval', time: '', step, loss: 1, accuracy: 0.5, loss_tokens: 1, best: false, ms: 1 });
    const { marks } = await new RunSide(run.path).look();
    assert.ok(marks && marks.evals.length <= 1000 && marks.evals.length > 500);
    assert.equal(marks.evals.at(-1)?.step, 2501);
  });

  it('says what the trainer printed where it failed, and what was asked where no more is known', async () => {
    const run = new TrainingRunFolder(join(temporary.path, 'failed'), 10).print('first line\nlast line\n');
    run.beat({ state: 'failed', step: 0, message: 'No memory.' });
    const { facts } = await new RunSide(run.path).look();
    assert.equal(facts?.log, 'first line\nlast line');
    assert.deepEqual(
      facts?.facts.map(({ name, value }) => [name, value]),
      [
        ['Base', 'SmolLM2-135M.gguf'],
        ['Data', 'pairs.jsonl'],
      ],
    );
  });
});

describe('the words of a training task', () => {
  it('name every field, also values that begin with a dash', () => {
    const words = trainWords({ base: 'small', data: '-odd.jsonl', evalData: 'dev.jsonl', maxLength: 512, lr: 1e-4 });
    assert.deepEqual(words, [
      ...['train', 'sft', '--base=small', '--data=-odd.jsonl', '--eval-data=dev.jsonl', '--lr=0.0001'],
      '--max-length=512',
    ]);
    assert.deepEqual(trainWords({ base: 'b', data: 'd', sharePrefixes: false, out: 'o', results: null }).slice(4), [
      '--out=o',
      '--no-share-prefixes',
    ]);
  });
});
