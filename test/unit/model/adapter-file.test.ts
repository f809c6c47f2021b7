import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../src/protocol/errors.ts';
import { adapterTitle, localModelOfHash, readAdapterFile } from '../../../src/runtime/model/adapter-file.ts';
import { bundledModels, readModelEntry } from '../../../src/runtime/model/manifest.ts';
import { emptyAdapter } from '../../support/adapter.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('the file of an adapter', () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  after(() => folder.remove());

  async function failure(path: string): Promise<string> {
    const error = await readAdapterFile(path).catch((caught: unknown) => caught);
    assert.ok(error instanceof AppError);
    return `${error.code}: ${error.message}`;
  }

  it('says what it was trained on, and its run names it', async () => {
    mkdirSync(at('first'));
    await emptyAdapter(at('first/adapter.gguf'), { name: 'Tiny', sha256: 'a'.repeat(64) });
    assert.deepEqual(await readAdapterFile(at('first/adapter.gguf')), {
      path: at('first/adapter.gguf'),
      baseName: 'Tiny',
      baseHash: 'a'.repeat(64),
      repairs: false,
    });
    assert.equal(adapterTitle(at('first/adapter.gguf')), 'first');
    assert.equal(adapterTitle(at('best.gguf')), 'best');
  });

  it('that this program trained says it, as those that come with it do; others may not', async () => {
    for (const name of ['small', 'coder'] as const) {
      const { baseHash } = await readAdapterFile(join(bundledModels, `${name}.lora.gguf`));
      assert.equal(localModelOfHash(baseHash), name);
    }
    await emptyAdapter(at('silent.gguf'), null);
    const silent = await readAdapterFile(at('silent.gguf'));
    assert.deepEqual([silent.baseHash, silent.baseName], [null, null]);
    assert.equal(localModelOfHash(null), null);
  });

  it('is for the local model whose file has the hash that it names', () => {
    for (const name of ['small', 'coder'] as const)
      assert.equal(localModelOfHash(readModelEntry(name).base.sha256), name);
    assert.equal(localModelOfHash('0'.repeat(64)), null);
  });

  it('is told from what is no adapter', async () => {
    writeFileSync(at('text.gguf'), 'no adapter at all, but a text of some length\n');
    writeFileSync(at('empty.gguf'), '');
    await emptyAdapter(at('whole.gguf'), { name: 'Tiny', sha256: 'a'.repeat(64) });
    const whole = readFileSync(at('whole.gguf'));
    writeFileSync(at('cut.gguf'), whole.subarray(0, 90));
    assert.match(
      await failure(at('absent.gguf')),
      /^adapter_missing: .*absent\.gguf is not there\. Give an adapter as a/,
    );
    assert.match(await failure(folder.path), /^adapter_unusable: .* is no file\./);
    for (const name of ['text.gguf', 'empty.gguf'])
      assert.match(await failure(at(name)), /^adapter_unusable: .* is no GGUF file\./);
    assert.match(await failure(at('cut.gguf')), /^adapter_unusable: .* is damaged \(/);
  });

  it('is whole, or told to be cut off before a model is loaded for it', async () => {
    const whole = readFileSync(join(bundledModels, 'small.lora.gguf'));
    for (const bytes of [whole.length - 1, 300_000, 20_000, 40]) {
      writeFileSync(at('part.gguf'), whole.subarray(0, bytes));
      assert.match(
        await failure(at('part.gguf')),
        new RegExp(`^adapter_unusable: .* is damaged \\(.*\\b${bytes} bytes `),
      );
    }
    const nothing = Buffer.from(readFileSync(at('whole.gguf')));
    nothing.writeBigUInt64LE(0n, 8);
    writeFileSync(at('nothing.gguf'), nothing);
    assert.match(await failure(at('nothing.gguf')), /is a LoRA adapter without any numbers/);
  });

  it('is told from a model, whose vocabulary makes its header long', async () => {
    const { from } = readModelEntry('small').base;
    assert.ok(from.kind === 'parts' && from.parts[0]);
    assert.match(await failure(join(bundledModels, from.parts[0].file)), /is a GGUF file, but holds no LoRA adapter/);
  });

  it('is not waited for where it is a pipe', async function () {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [at('pipe.gguf')]);
    assert.match(await failure(at('pipe.gguf')), /^adapter_unusable: .* is no file\./);
  });

  it('may be a GGUF file of another thing', async () => {
    const entry = Buffer.from(readFileSync(at('whole.gguf')));
    const place = entry.indexOf('lora', entry.indexOf('adapter.type'));
    entry.write('aura', place);
    writeFileSync(at('thing.gguf'), entry);
    assert.match(await failure(at('thing.gguf')), /holds no LoRA adapter/);
  });
});
