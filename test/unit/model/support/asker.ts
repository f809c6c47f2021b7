// Asks the bundled model as a process of its own and prints the process id of the model's child on a line, then goes on
// as its second argument says: `generate` asks for a long answer, `idle` waits, `end` lets the process end by itself.
// Arguments: storage, mode.
import { createLocalProvider } from '../../../../src/runtime/model/local-provider.ts';
import { chatAbout } from './questions.ts';

const [, , storage = '', mode = ''] = process.argv;
const provider = createLocalProvider({ name: 'small', storage });
await provider.chat(chatAbout('How many singers do we have?'), {});
process.stdout.write(`${provider.pid}\n`);
if (mode === 'generate')
  await provider.chat({ ...chatAbout('Tell me everything.'), temperature: 5, seed: 1, maxTokens: 4000 }, {});
if (mode === 'idle') setInterval(() => undefined, 1000);
