import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runName } from '../../../../src/core/training/run-name.ts';
import { figure, progressInWords } from '../../../../src/core/training/words.ts';
import { readModelEntry } from '../../../../src/runtime/model/manifest.ts';
import { findRunFolder, readRuns, runFoldersIn } from '../../../../src/runtime/trainer/find-runs.ts';
import { trainingSettings } from '../../../../src/runtime/trainer/settings.ts';
import { nearest, smoothed } from '../../../../webview-ui/training/curves.ts';
import { emptyAdapter } from '../../../support/adapter.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { TrainingRunFolder } from '../../../support/training-run.ts';

describe('the settings of a run', () => {
  const temporary = temporaryFolder();
  const here = temporary.path;
  const storage = join(here, 'storage');
  after(() => temporary.remove());
  before(() => {
    for (const name of ['pairs.jsonl', 'model.gguf']) writeFileSync(join(here, name), '');
    mkdirSync(join(here, 'folder'));
    writeFileSync(join(here, 'folder/config.json'), '{}');
  });

  it('begin with the adapter of a local model, by its name', async () => {
    const choices = { base: 'model.gguf', data: 'pairs.jsonl', adapter: 'small' };
    const settings = await trainingSettings(choices, join(here, 'models'), here);
    assert.match(JSON.stringify(settings), /"adapter":"[^"]+small\.lora\.gguf"/);
  });

  it('have what was said, with absolute paths, and nothing else: the trainer knows what suits the model', async () => {
    const settings = await trainingSettings({ base: 'model.gguf', data: 'pairs.jsonl' }, storage, here);
    assert.deepEqual(settings, {
      v: 1,
      algorithm: 'sft',
      model: { base: join(here, 'model.gguf') },
      data: { train: join(here, 'pairs.jsonl') },
    });
    const more = await trainingSettings(
      {
        base: 'folder',
        data: 'pairs.jsonl',
        r: 8,
        epochs: 2,
        results: 'results',
        sharePrefixes: false,
        checkpointEvery: 5,
      },
      storage,
      here,
    );
    assert.deepEqual(more, {
      v: 1,
      algorithm: 'sft',
      model: { base: join(here, 'folder') },
      data: { train: join(here, 'pairs.jsonl'), share_prefixes: false },
      lora: { r: 8, alpha: 16 },
      length: { epochs: 2 },
      every: { checkpoint: 5 },
      results: join(here, 'results'),
    });
  });

  it('are refused where data, base or adapter are not there', async () => {
    const known = { base: 'model.gguf', data: 'pairs.jsonl' };
    const refused: [object, string][] = [
      [{ data: 'absent' }, 'training_data_missing'],
      [{ evalData: 'absent' }, 'training_data_missing'],
      [{ adapter: 'absent' }, 'training_adapter_missing'],
      [{ base: 'large' }, 'training_base_unknown'],
      [{ base: './large' }, 'training_base_missing'],
      [{ base: 'storage' }, 'training_base_unknown'],
    ];
    for (const [change, code] of refused)
      await assert.rejects(trainingSettings({ ...known, ...change }, storage, here), { code });
  });
});

describe('the adapter that a run begins with', () => {
  const temporary = temporaryFolder();
  after(() => temporary.remove());

  it('is not that of another model of this program', async () => {
    writeFileSync(join(temporary.path, 'pairs.jsonl'), '');
    const path = join(temporary.path, 'mine.gguf');
    await emptyAdapter(path, { name: 'any', sha256: readModelEntry('coder').base.sha256 });
    const start = (base: string) => {
      const storage = join(temporary.path, 'models');
      return trainingSettings({ base, data: 'pairs.jsonl', adapter: 'mine.gguf' }, storage, temporary.path);
    };
    await assert.rejects(start('small'), {
      code: 'training_adapter_other_base',
      message:
        /mine\.gguf was trained for coder, and the base is small\. Take coder as the base, or leave the adapter out/,
    });
    writeFileSync(join(temporary.path, 'model.gguf'), '');
    assert.match(JSON.stringify(await start('model.gguf')), /"adapter":"[^"]+mine\.gguf"/);
  });
});

describe('training runs on the disk', () => {
  const temporary = temporaryFolder();
  after(() => temporary.remove());

  it('are found below a folder, those that changed last first, with what cannot be read', async () => {
    const run = (name: string) => new TrainingRunFolder(join(temporary.path, name), 10);
    const older = run('older').begin();
    const newer = run('newer').begin().beat({ state: 'stopped', step: 3 });
    mkdirSync(join(temporary.path, 'no-run'));
    writeFileSync(join(run('damaged').path, 'run.json'), '[]');
    const { runs, problems } = await readRuns(await runFoldersIn(temporary.path));
    assert.deepEqual(new Set(runs.map(({ snapshot }) => snapshot.folder)), new Set([newer.path, older.path]));
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /damaged\/run\.json cannot be read/);
    assert.equal(await findRunFolder('older', temporary.path, '/'), older.path);
    assert.equal(await findRunFolder(newer.path, '/absent', '/'), newer.path);
    assert.deepEqual(await runFoldersIn(join(temporary.path, 'absent')), []);
    for (const word of ['absent', 'no-run', '../x'])
      await assert.rejects(findRunFolder(word, temporary.path, '/'), { code: 'training_run_unknown' });
    await assert.rejects(findRunFolder('latest', '/absent', '/'), { code: 'training_run_unknown' });
  });

  it('are named after base, data and time', () => {
    assert.equal(
      runName('/models/Smol LM.gguf', 'data/pairs.jsonl.gz', '2026-11-30T08:09:10.123Z'),
      'Smol-LM-pairs-20261130-080910',
    );
  });
});

describe('figures of a run', () => {
  it('have the digits that count', () => {
    assert.deepEqual(
      [0, 0.51267, 2e-4, 1.234567e-5, 12.3456, 3e9].map((value) => figure(value)),
      ['0', '0.5127', '2e-4', '1.235e-5', '12.35', '3e9'],
    );
  });

  it('stand in one line', () => {
    assert.equal(
      progressInWords({ step: 3, of: 9, loss: 1.5, lr: 1e-3, tokensPerS: 1234, share: 0.4, etaMs: 61_000 }),
      'step 3 of 9 · loss 1.5 · lr 0.001 · 1,234 tokens/s · 40.0 % of the peak · 1 min 1 s left',
    );
    assert.equal(progressInWords({ step: 3, of: null, loss: null, etaMs: null }), 'step 3');
    assert.equal(progressInWords({ step: 9, of: 9, loss: 1.5, etaMs: 0 }), 'step 9 of 9 · loss 1.5');
  });
});

describe('a smoothed curve', () => {
  it('gives what was a half-life ago half the weight, whatever lies between', () => {
    const steps = Float64Array.from([0, 10, 20]);
    assert.deepEqual([...smoothed(steps, Float64Array.from([0, 1, 1]), 10)], [0, 0.5, 0.75]);
    assert.deepEqual([...smoothed(Float64Array.from([0, 20]), Float64Array.from([0, 1]), 10)], [0, 0.75]);
    const gap = smoothed(steps, Float64Array.from([0, Number.NaN, 1]), 10);
    assert.deepEqual([...gap], [0, Number.NaN, 0.75]);
  });

  it('is pointed at by the nearest step', () => {
    assert.deepEqual(
      [-5, 4, 6, 15, 99].map((step) => nearest([0, 10, 20], step)),
      [0, 0, 1, 1, 2],
    );
    assert.equal(nearest([], 5), -1);
  });
});
