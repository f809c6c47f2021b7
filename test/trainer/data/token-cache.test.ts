import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Examples, loadExamples } from '../../../python-free-trainer/src/data/examples.ts';
import type { Tokenizer } from '../../../python-free-trainer/src/data/tokenizer.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { pairsFile, tinyFolder } from '../support/tiny-folder.ts';
import { bytesWith } from './tokenizers.ts';

const ours = (module: string) =>
  JSON.stringify(new URL(`../../../python-free-trainer/src/data/${module}.ts`, import.meta.url).href);

describe('the cache of tokens', () => {
  let folder: TemporaryFolder;
  let data: string;
  let cache: string;
  beforeEach(() => {
    folder = temporaryFolder();
    data = pairsFile(folder.path, 20);
    cache = join(folder.path, 'tokens');
  });
  afterEach(() => folder.remove());

  const load = (tokenizer: Tokenizer = bytesWith(), maxLength = 1000): Promise<Examples> =>
    loadExamples(data, tokenizer, { maxLength, cache });
  const files = () => readdirSync(cache).sort();
  const content = ({ examples, items, counts, notes }: Examples) => ({ examples, items, counts, notes });

  it('gives what was read the first time', async () => {
    const first = await load();
    const again = await load();
    assert.deepEqual([first.cached, again.cached], [false, true]);
    assert.deepEqual(content(again), content(first));
    assert.equal(files().length, 1);
  });

  it('is another one for other data, another tokenizer or template, and another length', async () => {
    await load();
    assert.equal((await load(bytesWith({ special: ['<|im_start|>', '<|im_end|>', '<x>'] }))).cached, false);
    assert.equal((await load(bytesWith(), 999)).cached, false);
    writeFileSync(data, `${readFileSync(data, 'utf8')}\n`);
    assert.equal((await load()).cached, false);
    assert.equal(files().length, 4);
  });

  it('keeps no data that was refused', async () => {
    writeFileSync(data, '{}');
    await assert.rejects(load());
    assert.throws(files);
  });

  it('is made again where it is damaged', async () => {
    const first = await load();
    const path = join(cache, files()[0] ?? '');
    const whole = readFileSync(path);
    for (const damaged of [
      whole.subarray(0, 9),
      whole.subarray(0, -1),
      Buffer.concat([whole, whole]),
      Buffer.alloc(0),
    ]) {
      writeFileSync(path, damaged);
      const again = await load();
      assert.equal(again.cached, false);
      assert.deepEqual(content(again), content(first));
      assert.deepEqual(readFileSync(path), whole);
    }
  });

  it('keeps the files that were used last, and nothing half-written', async () => {
    await load();
    const [name = ''] = files();
    for (let index = 0; index < 12; index += 1) {
      writeFileSync(join(cache, `${index}.tokens`), 'old');
      utimesSync(join(cache, `${index}.tokens`), 1000 + index, 1000 + index);
    }
    writeFileSync(join(cache, 'x.tokens.ab.new'), 'half');
    utimesSync(join(cache, 'x.tokens.ab.new'), 1000, 1000);
    writeFileSync(join(cache, 'y.tokens.cd.new'), 'being written');
    await load(bytesWith(), 999);
    const left = files();
    assert.ok(left.includes(name));
    assert.ok(left.includes('y.tokens.cd.new'));
    assert.deepEqual(
      left.filter((file) => file.length < 12),
      ['10.tokens', '11.tokens', '6.tokens', '7.tokens', '8.tokens', '9.tokens'],
    );
  });

  it('does without where nothing can be written', async () => {
    writeFileSync(cache, 'a file in its place');
    assert.equal((await load()).examples.length, 20);
    assert.equal((await load()).cached, false);
    rmSync(cache);
  });

  it('may be filled by several processes at once', async () => {
    const model = tinyFolder(folder.path);
    const script = `
      import { openTokenizer } from ${ours('tokenizer')};
      import { loadExamples } from ${ours('examples')};
      const [model, data, cache] = process.argv.slice(1);
      for (let round = 0; round < 5; round += 1) {
        const { examples } = await loadExamples(data, await openTokenizer(model), { maxLength: 1000 + round, cache });
        if (examples.length !== 20) throw new Error('lost examples');
      }`;
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, model, data, cache]);
    await Promise.all([run(), run(), run()]);
    assert.equal(files().length, 5);
    assert.ok(files().every((file) => file.endsWith('.tokens')));
  });
});
