import assert from 'node:assert/strict';
import { join } from 'node:path';
import { choiceWithAdapter } from '../../../../src/host/models/adapter-choice.ts';
import { lastEvaluations } from '../../../../src/host/models/adapter-evaluations.ts';
import { AppError } from '../../../../src/protocol/errors.ts';
import { readModelEntry } from '../../../../src/runtime/model/manifest.ts';
import { emptyAdapter } from '../../../support/adapter.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { config, runOn, share } from '../runs/support.ts';

describe('an adapter that the settings choose', () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder.path, `${name}.gguf`);
  const forModel = (name: 'small' | 'coder') => ({ name, sha256: readModelEntry(name).base.sha256 });
  before(async () => {
    await emptyAdapter(at('mine'), forModel('small'));
    await emptyAdapter(at('foreign'), { name: 'Qwen3-1.7B', sha256: 'a'.repeat(64) });
    await emptyAdapter(at('silent'), null);
  });
  after(() => folder.remove());

  async function failure(call: Promise<unknown>): Promise<[code: string, message: string]> {
    const error = await call.catch((caught: unknown) => caught);
    assert.ok(error instanceof AppError);
    return [error.code, error.message];
  }

  it('answers with the model that its file names', async () => {
    const choice = { provider: 'local', name: 'small', adapter: at('mine') };
    assert.deepEqual(await choiceWithAdapter(at('mine'), 'auto'), choice);
    assert.deepEqual(await choiceWithAdapter(at('mine'), 'small'), choice);
  });

  it('answers with the model of the settings where its file names none', async () => {
    assert.equal((await choiceWithAdapter(at('silent'), 'coder')).name, 'coder');
    const [code, message] = await failure(choiceWithAdapter(at('silent'), 'auto'));
    assert.equal(code, 'adapter_no_base');
    assert.match(message, /silent does not say which model/);
  });

  it('answers with no other model, and leads to the choice', async () => {
    const [code, message] = await failure(choiceWithAdapter(at('mine'), 'coder'));
    assert.equal(code, 'adapter_other_base');
    assert.match(message, /was trained for "small", and the settings choose "coder"\. Run "SQL Agent: Choose Model…"/);
    assert.match(
      (await failure(choiceWithAdapter(at('foreign'), 'auto')))[1],
      /trained for Qwen3-1\.7B, which is neither/,
    );
  });

  it('is missed where it was moved, and named by an absolute path alone', async () => {
    const [code, message] = await failure(choiceWithAdapter(at('moved'), 'auto'));
    assert.equal(code, 'adapter_gone');
    assert.match(message, /moved\.gguf, which the settings choose, is not there any more/);
    assert.equal(
      (await failure(choiceWithAdapter('training-runs/a/adapter.gguf', 'auto')))[0],
      'adapter_path_relative',
    );
  });
});

describe('evaluations of adapters', () => {
  const asked = (adapter: string | null) => ({ config: { ...config, model: { ...config.model, adapter } } });

  it('are known by the hash of the adapter: the last one that is finished counts', () => {
    const runs = [
      runOn(3, 'third', { ...asked('one'), share: share(5, 10), done: 10 }),
      runOn(2, 'second', { ...asked('one'), share: share(9, 10), done: 10 }),
      runOn(4, 'fourth', { ...asked('one'), share: share(1, 10), state: 'stopped' }),
      runOn(4, 'own', { ...asked('bundled'), share: share(1, 10) }),
      runOn(4, 'none', { ...asked(null), share: share(1, 10) }),
    ];
    const found = lastEvaluations(runs, ['bundled']);
    assert.deepEqual([...found.keys()], ['one']);
    assert.match(found.get('one') ?? '', /^EX 50\.0 % \(20\.0 to 80\.0\) on .+, 10 items$/);
  });
});
