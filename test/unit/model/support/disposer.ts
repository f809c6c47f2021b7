// A program of its own, for tests of how one ends. It asks a model once and disposes of it: when it has answered
// ("after"), or at the first sign of an answer, whose rest is on its way already ("amid").
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
const isAmid = process.argv[2] === 'amid';
const messages = [{ role: 'user' as const, content: isAmid ? 'answer me' : 'linger on' }];
let disposed: Promise<void> | null = null;
const onEvent = () => {
  if (isAmid) disposed ??= model.dispose();
};
await model.chat({ messages, stablePrefix: 0, keepState: false, ...sampling }, onEvent).catch(() => undefined);
await (disposed ?? model.dispose());
process.stdout.write('disposed\n');
