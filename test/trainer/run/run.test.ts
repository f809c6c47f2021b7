import assert from 'node:assert/strict';
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAdapterWithOrigin } from '../../../python-free-trainer/src/io/read-adapter.ts';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import { TrainingRun, TrainingStatus } from '../../../src/protocol/training.ts';
import { readAdapterFile } from '../../../src/runtime/model/adapter-file.ts';
import { type TrainerHere, trainerHere, trainHere } from '../support/here.ts';
import { eventsOf, historyOf, runFolder } from '../support/trainer.ts';

describe('a run directory', function () {
  this.timeout(60_000);
  let here: TrainerHere;
  let made = 0;
  before(() => {
    here = trainerHere();
  });
  after(() => here.remove());

  const newRun = (changes: Record<string, unknown> = {}) =>
    runFolder(here.path, `run-${made++}`, here.settings(changes));
  const json = (folder: string, name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const drop = (folder: string, wish: string) => writeFileSync(join(folder, 'control', wish), '');

  it('has record, events, status, checkpoints and both forms of the adapter when the run is done', async () => {
    const folder = newRun();
    const outcome = await trainHere(folder);
    assert.deepEqual([outcome.state, outcome.step, outcome.steps], ['done', 6, 6]);
    const run = TrainingRun.parse(json(folder, 'run.json'));
    assert.deepEqual([run.steps, run.data.examples, run.data.held_out], [6, 18, 2]);
    assert.equal(run.config.optimiser.lr, 1e-3, 'what was left out suits the size of the model');
    const status = TrainingStatus.parse(json(folder, 'status.json'));
    assert.deepEqual([status.state, status.step, status.of], ['done', 6, 6]);
    assert.deepEqual(
      eventsOf(folder)
        .map(({ kind }) => kind)
        .filter((kind) => kind !== 'note'),
      [
        'start',
        'step',
        'step',
        'checkpoint',
        'step',
        'eval',
        'checkpoint',
        'step',
        'checkpoint',
        'step',
        'step',
        'eval',
        'checkpoint',
        'end',
      ],
    );
    assert.ok(!existsSync(join(folder, 'lock')));
    await assert.rejects(openWeights(folder), { code: 'model_missing', message: /settings of a training run/ });
    const source = await openWeights(here.base);
    for (const path of ['adapter', 'adapter.gguf']) {
      const { origin, adapter } = await readAdapterWithOrigin(join(folder, path), source.config);
      assert.deepEqual(
        [origin.runId, origin.baseHash, origin.dataHash, origin.repairs],
        [run.run_id, source.file.sha256, run.data.train.sha256, false],
      );
      assert.equal(adapter.pairs.length, 14);
    }
    await source.close();
  });

  it('leaves an adapter that says it knows repairs where the data holds some, and so does one that goes on from it', async () => {
    const data = join(here.path, 'repairs.jsonl');
    const repair = {
      id: 'a',
      repair: true,
      messages: [
        { role: 'user', content: 'How many?' },
        { role: 'assistant', content: 'SELECT coun(*) FROM t', train: false },
        { role: 'user', content: 'no such function: coun. Correct the query.' },
        { role: 'assistant', content: 'SELECT count(*) FROM t' },
      ],
    };
    writeFileSync(data, `${readFileSync(here.data, 'utf8')}${JSON.stringify(repair)}\n`);
    const source = await openWeights(here.base);
    const repairsOf = async (path: string) => (await readAdapterWithOrigin(path, source.config)).origin.repairs;
    const first = newRun({ data: { train: data, held_out: 0.1 } });
    await trainHere(first);
    assert.deepEqual(
      [await repairsOf(join(first, 'adapter')), await repairsOf(join(first, 'adapter.gguf'))],
      [true, true],
    );
    assert.equal((await readAdapterFile(join(first, 'adapter.gguf'))).repairs, true);
    const second = newRun({ model: { base: here.base, adapter: join(first, 'adapter.gguf') } });
    await trainHere(second);
    assert.equal(await repairsOf(join(second, 'adapter.gguf')), true);
    await source.close();
  });

  it('tells of each step all that the protocol has, and the losses fall', async () => {
    const folder = newRun({ length: { epochs: 4 }, batch: { examples: 9 }, optimiser: { lr: 0.01 } });
    await trainHere(folder);
    const steps = eventsOf(folder).filter((event) => event.kind === 'step');
    for (const step of steps) {
      assert.ok(step.tokens > 0 && step.plain_tokens >= step.tokens && step.loss_tokens < step.plain_tokens);
      assert.ok(step.share !== null && step.share > 0 && step.share <= 1);
      assert.ok(step.memory > 100_000 && step.ms > 0 && step.grad_norm > 0 && step.tokens_per_s > 0);
    }
    assert.deepEqual(
      steps.map(({ epoch }) => epoch),
      [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4],
    );
    assert.ok((steps.at(-1)?.loss ?? 9) < 0.9 * (steps[0]?.loss ?? 0));
    assert.ok(Math.abs((steps.at(-1)?.lr ?? 0) - 1e-3) < 1e-12, 'the cosine ends at a tenth');
  });

  it('keeps the last two checkpoints and the best', async () => {
    const folder = newRun({ length: { epochs: 4 }, every: { eval: 24, checkpoint: 1 }, optimiser: { lr: 0.05 } });
    let best = 0;
    await trainHere(folder, {
      onEvent: (event) => {
        if (event.kind === 'eval' && event.best) best = event.step;
      },
    });
    const steps = new Set([best, 23, 24]);
    assert.deepEqual(
      readdirSync(join(folder, 'checkpoints')).sort(),
      [...steps].sort((a, b) => a - b).map((step) => `step-${String(step).padStart(6, '0')}`),
    );
  });

  it('keeps the best checkpoint where later evaluations are worse', async () => {
    const other = join(here.path, 'other.jsonl');
    writeFileSync(other, `${JSON.stringify({ user: 'Row 1?', sql: '\u00fe\u00df\u00f0\u00e6\u00f8' })}\n`);
    const folder = newRun({
      data: { train: here.data, eval: other },
      every: { eval: 1, checkpoint: 1 },
      optimiser: { lr: 0.02 },
    });
    await trainHere(folder);
    const { evals } = historyOf(folder);
    const best = evals.filter((event) => event.best).at(-1)?.step ?? 0;
    assert.ok(best > 0 && best < 4, `what is learned makes it worse: best ${best}`);
    const kept = readdirSync(join(folder, 'checkpoints')).sort();
    assert.deepEqual(
      kept,
      [best, 6, 7].map((step) => `step-00000${step}`),
    );
  });

  it('writes a checkpoint when a file asks for it, and ends when a file asks for that', async () => {
    const folder = newRun({ every: { eval: 50, checkpoint: 50 } });
    const outcome = await trainHere(folder, {
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 2) drop(folder, 'checkpoint');
        if (event.kind === 'step' && event.step === 4) drop(folder, 'stop');
      },
    });
    assert.equal(outcome.state, 'stopped');
    const told = eventsOf(folder).flatMap((event) => (event.kind === 'checkpoint' ? [event.step] : []));
    assert.deepEqual(told, [2, 4]);
    assert.deepEqual(readdirSync(join(folder, 'control')), []);
    assert.ok(!existsSync(join(folder, 'adapter')));
    const done = await trainHere(folder, { resume: true });
    assert.deepEqual([done.state, historyOf(folder).steps.length], ['done', 6]);
  });

  it('does not take a wish that was meant for an earlier trainer', async () => {
    const folder = newRun();
    await trainHere(folder, {
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 1) drop(folder, 'stop');
      },
    });
    drop(folder, 'stop');
    assert.equal((await trainHere(folder)).state, 'done');
  });

  it('cuts a torn last line of the events off and goes on', async () => {
    const folder = newRun();
    await trainHere(folder, {
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 3) drop(folder, 'stop');
      },
    });
    appendFileSync(join(folder, 'events.jsonl'), '{"kind":"step","time":"2026-11-');
    await trainHere(folder);
    assert.ok(eventsOf(folder).some((event) => event.kind === 'note' && /torn/.test(event.text)));
    assert.equal(historyOf(folder).steps.length, 6);
  });

  it('removes what a killed trainer had not put in place yet', async () => {
    const folder = newRun();
    await trainHere(folder, {
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 1) drop(folder, 'stop');
      },
    });
    writeFileSync(join(folder, 'run.json.0123abcd.new'), '{');
    mkdirSync(join(folder, 'checkpoints/step-000002.0123abcd.new'));
    await trainHere(folder);
    assert.ok(readdirSync(folder).every((name) => !name.endsWith('.new')));
    assert.deepEqual(readdirSync(join(folder, 'checkpoints')).sort(), ['step-000004', 'step-000006']);
  });

  it('passes over a damaged checkpoint, says so, and goes on from the one before', async () => {
    const folder = newRun();
    await trainHere(folder, {
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 5) drop(folder, 'stop');
      },
    });
    const tensors = join(folder, 'checkpoints/step-000005/trainer_state.safetensors');
    const bytes = readFileSync(tensors);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(tensors, bytes);
    await trainHere(folder);
    const events = eventsOf(folder);
    assert.ok(events.some((event) => event.kind === 'start' && event.step === 4));
    assert.ok(events.some((event) => event.kind === 'note' && /step 5 is damaged.*SHA-256/.test(event.text)));
    assert.deepEqual([...historyOf(folder).steps.column('step')], [1, 2, 3, 4, 5, 6]);
  });

  it('refuses to go on where no checkpoint can be used', async () => {
    const folder = newRun();
    await trainHere(folder);
    for (const name of readdirSync(join(folder, 'checkpoints')))
      writeFileSync(join(folder, 'checkpoints', name, 'state.json'), '{}');
    await assert.rejects(trainHere(folder), { code: 'checkpoints_damaged' });
  });

  it('refuses to go on with other settings, data or base, and names what differs', async () => {
    const folder = newRun();
    await trainHere(folder);
    const config = readFileSync(join(folder, 'config.json'), 'utf8');
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...here.settings(), optimiser: { lr: 0.01 } }));
    await assert.rejects(trainHere(folder), { code: 'run_changed', message: /"optimiser.lr" was 0.001 and is 0.01/ });
    writeFileSync(join(folder, 'config.json'), config);
    const data = readFileSync(here.data, 'utf8');
    appendFileSync(here.data, '{"user":"one more?","sql":"SELECT 1"}\n');
    await assert.rejects(trainHere(folder), { code: 'run_changed', message: /training data .* has other contents/ });
    writeFileSync(here.data, data);
    const record = join(folder, 'run.json');
    const run = readFileSync(record, 'utf8');
    writeFileSync(record, run.replace(/"tokenizer": "[0-9a-f]{64}"/, `"tokenizer": "${'0'.repeat(64)}"`));
    await assert.rejects(trainHere(folder), {
      code: 'run_changed',
      message: /tokenizer or chat template of .* another one/,
    });
    writeFileSync(record, run);
    const other = join(here.path, 'other-tiny');
    cpSync(here.base, other, { recursive: true });
    writeFileSync(
      join(other, 'config.json'),
      readFileSync(join(other, 'config.json'), 'utf8').replace('1e-06', '1e-05'),
    );
    cpSync(here.base, `${here.base}.before`, { recursive: true });
    cpSync(other, here.base, { recursive: true });
    await assert.rejects(trainHere(folder), { code: 'run_changed', message: /base .* has other contents/ });
    cpSync(`${here.base}.before`, here.base, { recursive: true });
    assert.equal((await trainHere(folder)).state, 'done');
  });

  it('goes on with the packs that it began with where nobody names a size, whatever suits the device now', async () => {
    const folder = newRun();
    await trainHere(folder, {
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 3) drop(folder, 'stop');
      },
    });
    const record = join(folder, 'run.json');
    writeFileSync(record, readFileSync(record, 'utf8').replace('"pack_tokens": 4096', '"pack_tokens": 16384'));
    assert.equal((await trainHere(folder, { resume: true })).state, 'done');
    assert.match(readFileSync(record, 'utf8'), /"pack_tokens": 16384/);
  });

  it('goes on with another number of threads to the same end, bit for bit', async () => {
    const [folder, straight] = [newRun(), newRun()];
    await trainHere(straight);
    await trainHere(folder, {
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 3) drop(folder, 'stop');
      },
    });
    writeFileSync(join(folder, 'config.json'), JSON.stringify(here.settings({ threads: 2 })));
    assert.equal((await trainHere(folder, { resume: true })).state, 'done');
    const last = 'checkpoints/step-000006/trainer_state.safetensors';
    assert.ok(readFileSync(join(folder, last)).equals(readFileSync(join(straight, last))));
  });

  it('says so where it is measured on what it is trained on', async () => {
    const folder = newRun({ data: { train: here.data, eval: here.data }, length: { epochs: 1, steps: 1 } });
    await trainHere(folder);
    const notes = eventsOf(folder).flatMap((event) => (event.kind === 'note' ? [event.text] : []));
    assert.ok(
      notes.some((text) => /^The evaluation data is the training data/.test(text)),
      notes.join(),
    );
    assert.match(eventsOf(folder).find((event) => event.kind === 'end')?.message ?? '', /^Trained 1 step, /);
  });

  it('takes changed settings for a new run where there is no checkpoint yet', async () => {
    const folder = newRun();
    const gone = new Error('the trainer was ended');
    const end = () => {
      throw gone;
    };
    await assert.rejects(trainHere(folder, { onEvent: ({ kind }) => (kind === 'step' ? end() : undefined) }), gone);
    const first = json(folder, 'run.json');
    writeFileSync(join(folder, 'config.json'), JSON.stringify(here.settings({ seed: 7 })));
    assert.equal((await trainHere(folder)).state, 'done');
    assert.notEqual(json(folder, 'run.json').run_id, first.run_id);
    assert.equal(historyOf(folder).steps.length, 6);
  });

  it('says that there is nothing to resume where --resume is given to a new run', async () => {
    await assert.rejects(trainHere(newRun(), { resume: true }), { code: 'nothing_to_resume' });
  });

  it('names every setting that does not fit, in the status too', async () => {
    const folder = newRun({ lora: { r: 0, rank: 4 }, optimiser: { lr: 'high' } });
    await assert.rejects(trainHere(folder), {
      code: 'config_invalid',
      message:
        /"lora.rank" is no setting.*"lora.r" is 0; allowed is a whole number at least 1 and at most 1024.*"optimiser.lr" is "high"/s,
    });
    assert.equal(json(folder, 'status.json').state, 'failed');
    assert.ok(!existsSync(join(folder, 'lock')));
  });

  it('stops at a loss that is not finite and keeps the data of the step', async () => {
    const folder = newRun({ optimiser: { lr: 1e30, clip: null }, schedule: { warmup: 0 } });
    await assert.rejects(trainHere(folder), { code: /non_finite_(loss|gradient)/ });
    const failed = json(folder, 'failed-step.json');
    assert.deepEqual([failed.v, failed.step, failed.examples.length], [1, 2, 3]);
    for (const { example, tokens, learned, losses } of failed.examples) {
      assert.ok(example >= 0 && example < 20 && tokens.length > 10);
      assert.equal(losses.length, learned.length);
      assert.ok(losses.every((loss: number | null) => loss === null || Number.isFinite(loss)));
    }
    const last = eventsOf(folder).at(-1);
    assert.ok(last?.kind === 'end' && last.state === 'failed' && last.step === 1);
    assert.equal(json(folder, 'status.json').state, 'failed');
    assert.ok(!existsSync(join(folder, 'adapter')));
  });
});
