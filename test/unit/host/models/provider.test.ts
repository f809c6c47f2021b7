import assert from 'node:assert/strict';
import { join } from 'node:path';
import { recipeOf } from '../../../../src/host/models/provider.ts';
import { readModelEntry } from '../../../../src/runtime/model/manifest.ts';
import { emptyAdapter } from '../../../support/adapter.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

describe('the provider of a choice', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('knows of a model and of an adapter whether they were trained to correct a query', async () => {
    const { sha256 } = readModelEntry('small').base;
    const at = (name: string) => join(folder.path, `${name}.gguf`);
    await emptyAdapter(at('plain'), { name: 'any', sha256 });
    await emptyAdapter(at('repairing'), { name: 'any', sha256, repairs: true });
    const repairsOf = async (adapter: string | null) => {
      const recipe = await recipeOf({ provider: 'local', name: 'small', adapter }, folder.path, async () => null);
      const provider = recipe.make();
      await provider.dispose();
      return provider.repairs;
    };
    assert.deepEqual(
      [await repairsOf(null), await repairsOf(at('plain')), await repairsOf(at('repairing'))],
      [true, false, true],
    );
  });
});
