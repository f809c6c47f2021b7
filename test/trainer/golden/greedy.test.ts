import { strict as assert } from 'node:assert';
import { packTexts } from '../support/batches.ts';
import { type Learner, observe } from '../support/learner.ts';
import { openGolden } from './open.ts';
import { readScalars } from './vectors.ts';

/** The most likely continuation, computed anew for each token. */
async function greedy(learner: Learner, prompt: readonly number[], count: number, adapter: boolean): Promise<number[]> {
  const tokens = [...prompt];
  while (tokens.length < prompt.length + count) {
    const logits = await observe(learner, packTexts([{ tokens, loss: [] }]), { adapter, last: true });
    tokens.push(logits.indexOf(Math.max(...logits)));
  }
  return tokens.slice(prompt.length);
}

describe('greedy tokens of the tiny model are those of PyTorch', () => {
  const scalars = readScalars().greedy;
  for (const kind of ['adapter', 'base'] as const)
    it(kind === 'adapter' ? 'with the adapter' : 'without it', async () => {
      const learner = await openGolden();
      const { prompt, completion } = scalars[kind];
      assert.deepEqual(await greedy(learner, prompt, completion.length, kind === 'adapter'), completion);
      await learner.engine.close();
    });
});
