// Writes the run directory of a variant: its data and config.json. Turns the data into tokens, which the trainer then takes
// from its cache: they need no GPU.
//   node bench/variants/prepare.ts NAME RUN_DIR --files DIR --base GGUF [--results DIR]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { loadFor } from '../../python-free-trainer/src/train/data.ts';
import { readModelEntry } from '../../src/runtime/model/manifest.ts';
import { sha256OfFile } from '../../src/runtime/model/verified.ts';
import { storageFolder } from '../../src/runtime/paths.ts';
import { FILES, linesOf, readVariants } from './variant.ts';

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  options: { files: text, base: text, results: text },
  allowPositionals: true,
});
const [name, folder] = positionals;
const variant = readVariants().find((candidate) => candidate.name === name);
if (variant === undefined || folder === undefined || values.files === undefined || values.base === undefined) {
  console.error('Usage: node bench/variants/prepare.ts NAME RUN_DIR --files DIR --base GGUF [--results DIR]');
  console.error(
    `NAME: ${readVariants()
      .map((known) => known.name)
      .join(', ')}`,
  );
  process.exit(2);
}
const files = resolve(values.files);
const base = resolve(values.base);
if ((await sha256OfFile(storageFolder(), base)) !== readModelEntry(variant.model).base.sha256) {
  console.error(`${variant.name} is a variant of ${variant.model}, and ${base} is not the base of ${variant.model}.`);
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const train = resolve(folder, 'train.jsonl.gz');
const lines = linesOf(variant, files);
writeFileSync(train, gzipSync(`${lines.join('\n')}\n`, { level: 1 }));
const { data, ...settings } = variant.settings;
const { max_length } = data as { max_length: number };
const config = {
  ...settings,
  model: { base },
  data: { ...(data as object), train, eval: join(files, FILES.dev) },
  ...(values.results === undefined ? {} : { results: resolve(values.results) }),
};
writeFileSync(join(folder, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
for (const path of [train, join(files, FILES.dev)])
  await loadFor({ path: base, vocab: Number.POSITIVE_INFINITY }, path, max_length);
console.log(`${variant.name}: ${lines.length} pairs in ${folder}`);
