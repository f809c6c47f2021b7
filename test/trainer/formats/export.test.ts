import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGgufLora } from '../../../python-free-trainer/src/io/gguf-lora.ts';
import { readAdapterWithOrigin } from '../../../python-free-trainer/src/io/read-adapter.ts';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';
import { TrainingRun } from '../../../src/protocol/training.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { goldenFolder } from '../golden/vectors.ts';
import { pairsFile, tinyFolder } from '../support/tiny-folder.ts';
import { callTrainer } from '../support/trainer.ts';

describe('sql-agent-trainer export', function () {
  this.timeout(60_000);
  const temporary = temporaryFolder();
  const run = join(temporary.path, 'run');
  let base: string;
  let config: ModelConfig;

  async function call(...words: string[]) {
    const { code, printed } = await callTrainer(words, { home: temporary.path });
    return { code, last: (printed.at(-1) ?? {}) as Record<string, unknown> };
  }

  before(async () => {
    base = tinyFolder(temporary.path);
    const source = await openWeights(base);
    config = source.config;
    await source.close();
    const data = pairsFile(temporary.path, 12);
    const options = ['--base', base, '--data', data, '--steps', '3', '--r', '4', '--threads', '1'];
    assert.equal((await call('train', run, ...options)).code, 0);
  });
  after(() => temporary.remove());

  const out = (name: string): string => join(temporary.path, name);

  it('writes the adapter of a run in every form, with base, data and run in it', async () => {
    const record = TrainingRun.parse(JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')));
    for (const form of ['peft', 'gguf', 'merged-f16', 'merged-q8_0']) {
      const { code, last } = await call('export', run, '--to', form, '--out', out(form));
      assert.equal(code, 0, JSON.stringify(last));
      assert.deepEqual(last['base'], { name: record.base.name, sha256: record.base.file.sha256 });
      assert.equal(last['data_sha256'], record.data.train.sha256);
      assert.equal(last['run_id'], record.run_id);
      assert.deepEqual(last['warnings'], []);
    }
    const final = await readAdapterWithOrigin(join(run, 'adapter'), config);
    assert.deepEqual(await readAdapterWithOrigin(out('peft'), config), final);
    assert.deepEqual(await readGgufLora(out('gguf'), config), await readGgufLora(join(run, 'adapter.gguf'), config));
    for (const name of ['merged-f16', 'merged-q8_0']) {
      const merged = await openWeights(out(name));
      assert.equal(merged.config.layers, config.layers);
      await merged.close();
    }
  });

  it('writes a checkpoint, by its step or as the best one, and says which there are', async () => {
    for (const checkpoint of ['3', 'best']) {
      const { code, last } = await call(
        'export',
        run,
        '--checkpoint',
        checkpoint,
        '--to',
        'gguf',
        '--out',
        out(checkpoint),
      );
      assert.equal(code, 0, JSON.stringify(last));
    }
    const { code, last } = await call('export', run, '--checkpoint', '77', '--to', 'gguf', '--out', out('77'));
    assert.equal(code, 1);
    assert.equal(last['code'], 'checkpoint_missing');
    assert.match(String(last['message']), /steps .*3/);
  });

  it('takes any adapter with a base, and warns where it was trained on another one', async () => {
    const golden = await call('export', goldenFolder, '--base', base, '--to', 'peft', '--out', out('golden'));
    assert.equal(golden.code, 0, JSON.stringify(golden.last));
    assert.deepEqual(golden.last['warnings'], []);
    const merged = await call(
      'export',
      out('golden'),
      '--base',
      out('merged-f16'),
      '--to',
      'gguf',
      '--out',
      out('other'),
    );
    assert.equal(merged.code, 0, JSON.stringify(merged.last));
    assert.match(JSON.stringify(merged.last['warnings']), /another base file/);
    // What it was trained on is still said.
    const { origin } = await readGgufLora(out('other'), config);
    assert.deepEqual(origin.baseHash, (await readAdapterWithOrigin(out('golden'), config)).origin.baseHash);
  });

  it('overwrites nothing, and says what is missing in its words', async () => {
    const kept = readFileSync(join(base, 'model.safetensors'));
    const there = await call('export', run, '--to', 'gguf', '--out', join(base, 'model.safetensors'));
    assert.equal(there.last['code'], 'export_exists');
    assert.ok(readFileSync(join(base, 'model.safetensors')).equals(kept));
    const nothing = await call('export', out('nothing'), '--base', base, '--to', 'gguf', '--out', out('x'));
    assert.equal(nothing.last['code'], 'adapter_missing');
    for (const words of [
      ['export', run, '--to', 'onnx', '--out', out('x')],
      ['export', run, '--to', 'gguf'],
      ['export', goldenFolder, '--to', 'gguf', '--out', out('x')],
      ['export', run, '--checkpoint', 'last', '--to', 'gguf', '--out', out('x')],
    ])
      assert.equal((await call(...words)).code, 2, words.join(' '));
    assert.ok(!existsSync(out('x')));
  });
});
