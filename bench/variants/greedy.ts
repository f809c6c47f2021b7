// Greedy answers of trained variants to the development questions by PyTorch on a GPU, where all of them take seconds:
//   node bench/variants/greedy.ts OUT --files DIR --base GGUF [--device cuda|cpu] [--python python3] NAME=PEFT_FOLDER…
// OUT/NAME.json is a script for `sql-agent eval --provider scripted --script`: `evaluate.sh NAME OUT/NAME.json` scores it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openTokenizer } from '../../python-free-trainer/src/data/tokenizer.ts';
import { loadFor } from '../../python-free-trainer/src/train/data.ts';
import { deviceOf, exchangeFolder, runPeer } from '../../test/gpu/proof.ts';
import { FILES } from './variant.ts';

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  options: { files: text, base: text, device: { ...text, default: 'cuda' }, python: { ...text, default: 'python3' } },
  allowPositionals: true,
});
const [out, ...named] = positionals;
if (out === undefined || named.length === 0 || values.files === undefined || values.base === undefined)
  throw new Error('Usage: node bench/variants/greedy.ts OUT --files DIR --base GGUF NAME=PEFT_FOLDER…');
const adapters = Object.fromEntries(
  named.map((word) => {
    const [name = '', folder] = word.split('=');
    if (folder === undefined) throw new Error(`${word} is not NAME=PEFT_FOLDER`);
    return [name, resolve(folder)];
  }),
);
const base = resolve(values.base);
const data = join(values.files, FILES.dev);
const { examples } = await loadFor({ path: base, vocab: Number.POSITIVE_INFINITY }, data, 8192);
const prompts = examples.map(({ tokens, loss }) => [...tokens.subarray(0, loss.indexOf(1))]);
const end = examples[0]?.tokens.at(-1);
const folder = exchangeFolder();
const job = join(folder, 'job.json');
writeFileSync(job, JSON.stringify({ base, end, adapters, prompts }));
await runPeer(values.python, 'greedy.py', [job, folder, '--device', deviceOf(values.device)]);
const tokenizer = await openTokenizer(base);
mkdirSync(out, { recursive: true });
for (const name of Object.keys(adapters)) {
  const answers = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as number[][];
  const replies = answers.map((ids) => tokenizer.decode(ids));
  writeFileSync(join(out, `${name}.json`), `${JSON.stringify({ protocol: 'one_shot', name, replies }, null, 1)}\n`);
}
