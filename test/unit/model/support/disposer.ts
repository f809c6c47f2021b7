// A program of its own, for a test of how one ends: it asks a model once, lets it rest, and disposes of it.
import { fileURLToPath } from 'node:url';
import { ModelProcess } from '../../../../src/runtime/model/model-process.ts';

const numbers = { contextTokens: 1, stateBytesPerToken: 1, chunkTokens: 1 };
const model = new ModelProcess({
  name: 'fake',
  program: fileURLToPath(new URL('./fake-child.mjs', import.meta.url)),
  prepare: async () => ({
    type: 'load',
    name: 'fake',
    base: 'b',
    adapter: 'a',
    weights: 'w',
    ...numbers,
    states: null,
  }),
  idleMs: 60_000,
});
const sampling = { temperature: 0, seed: null, maxTokens: 10 };
const messages = [{ role: 'user' as const, content: 'linger on' }];
await model.chat({ messages, stablePrefix: 0, keepState: false, ...sampling }, () => undefined);
await model.dispose();
process.stdout.write('disposed\n');
