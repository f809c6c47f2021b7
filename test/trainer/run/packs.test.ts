import assert from 'node:assert/strict';
import { firstThatFits, namesPacks, packSizes } from '../../../python-free-trainer/src/config/packs.ts';
import { gpuMemory } from '../../../python-free-trainer/src/gpu/errors.ts';

describe('the size of packs where nobody says one', () => {
  it('suits the device and the size of the model', () => {
    assert.deepEqual(packSizes('cpu', 135e6, 4096), [4096]);
    assert.deepEqual(packSizes('cuda', 135e6, 4096), [16_384, 8192, 4096]);
    assert.deepEqual(packSizes('cuda', 4e9, 4096), [8192, 4096]);
    assert.deepEqual(packSizes('cuda', 4e9, 20_000), [20_000]);
  });

  it('is the largest that there is memory for; what else fails is told', async () => {
    const plan = async (tokens: number) => {
      if (tokens > 5000) throw gpuMemory(2e10, 1e10);
      return `${tokens} tokens`;
    };
    assert.deepEqual(await firstThatFits([16_384, 8192, 4096], plan), { tokens: 4096, planned: '4096 tokens' });
    await assert.rejects(firstThatFits([16_384, 8192], plan), { code: 'gpu_memory' });
    await assert.rejects(
      firstThatFits([16_384, 4096], async () => assert.fail('another failure')),
      /another failure/,
    );
  });

  it('is known from one that somebody named', () => {
    assert.equal(namesPacks({ batch: { pack_tokens: 4096 } }), true);
    for (const given of [{}, { batch: {} }, { batch: { examples: 4 } }]) assert.equal(namesPacks(given), false);
  });
});
