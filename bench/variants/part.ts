// Writes those of the files of `make.ts` that the variants of one model are trained on, which are smaller:
//   node bench/variants/part.ts DIR OUT --model coder [--base GGUF]
// With its base (default: where `sql-agent model pull` put it) made.json in OUT says what each variant has to compute.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { readModelEntry } from '../../src/runtime/model/manifest.ts';
import { basePath } from '../../src/runtime/model/model-files.ts';
import { storageFolder } from '../../src/runtime/paths.ts';
import { measureVariants } from './measure.ts';
import { FILES, linesOf, modelOf, readLines, readVariants } from './variant.ts';

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({ options: { model: text, base: text }, allowPositionals: true });
const [from, out] = positionals;
if (from === undefined || out === undefined)
  throw new Error('Usage: node bench/variants/part.ts DIR OUT --model small|coder [--base GGUF]');
const model = modelOf(values.model);
const variants = readVariants().filter((variant) => variant.model === model);
mkdirSync(out, { recursive: true });
for (const name of [FILES.published, FILES.dev, FILES.hard]) copyFileSync(join(from, name), join(out, name));
const kept = new Set(variants.flatMap((variant) => (variant.keep === 'published' ? [] : linesOf(variant, from))));
const lines = readLines(join(from, FILES.made)).filter((line) => kept.has(line));
writeFileSync(join(out, FILES.made), gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
const work = await measureVariants(model, out, values.base ?? basePath(readModelEntry(model), storageFolder()));
writeFileSync(join(out, 'made.json'), `${JSON.stringify({ lines: lines.length, variants: work }, null, 2)}\n`);
console.table(work);
