// Makes the files that all variants of adapters are trained on, from ../shared/data:
//   node bench/variants/make.ts DIR [--work DIR]
// DIR gets the pairs, the published pairs, the development questions that are measured while training and never trained on,
// and made.json: hashes, and what each variant of `small` has to compute (`part.ts` counts those of `coder`).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { tooHard } from '../../src/core/training/pairs/too-hard.ts';
import { readyModelFiles } from '../../src/runtime/model/model-files.ts';
import { storageFolder } from '../../src/runtime/paths.ts';
import { measureVariants } from './measure.ts';
import { WORK, writeQuestions } from './questions.ts';
import { FILES, readVariants } from './variant.ts';

const PUBLISHED = fileURLToPath(new URL('../../../shared/data/pairs/train.jsonl.gz', import.meta.url));
const CLI = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
/** The options of `sql-agent dataset pairs` that the pairs are made with. */
const PAIRS = ['--one-style', '--phrasings', '11', '--repairs', '100%', '--max-tables', '12', '--seed', '0'];

const { values, positionals } = parseArgs({ options: { work: { type: 'string' } }, allowPositionals: true });
const [out] = positionals;
if (out === undefined) throw new Error('Usage: node bench/variants/make.ts DIR [--work DIR]');
const work = resolve(values.work ?? join(out, 'work'));

function makePairs(questions: string, options: readonly string[], to: string): string[] {
  const databases = join(work, WORK.databases);
  const words = ['dataset', 'pairs', join(work, questions), '--db-root', databases, '--out', to, ...options];
  const { status } = spawnSync(process.execPath, [CLI, ...words], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`sql-agent ${words.join(' ')} ended with ${status}.`);
  return readFileSync(to, 'utf8').trim().split('\n');
}

/** Lines on one schema in one wording stand together, which makes the file small; the trainer has an order of its own. */
function bySchema(lines: readonly string[]): string[] {
  const parsed = lines.map((line, index) => {
    const { db_id, phrasing = 0, repair } = JSON.parse(line);
    return { line, index, db_id: String(db_id), kind: repair === undefined ? Number(phrasing) : -1 };
  });
  parsed.sort((one, other) => {
    if (one.db_id !== other.db_id) return one.db_id < other.db_id ? -1 : 1;
    return one.kind - other.kind || one.index - other.index;
  });
  return parsed.map(({ line }) => line);
}

/** By variant, the questions beyond its bounds: all wordings of a question go or stay, so the schema's own is judged. */
function hardOnes(lines: readonly string[]): Record<string, string[]> {
  const plain = lines.flatMap((line) => {
    const { id, user, sql, phrasing } = JSON.parse(line);
    return phrasing === undefined && sql !== undefined && id.startsWith('bird-') ? [{ id, user, sql }] : [];
  });
  return Object.fromEntries(
    readVariants().map(({ name, keep }) => {
      const bounds = keep === 'published' ? undefined : keep.bird;
      const hard = plain.filter(({ user, sql }) => bounds !== undefined && tooHard(user, sql, bounds) !== null);
      return [name, hard.map(({ id }) => String(id))];
    }),
  );
}

function write(name: string, lines: readonly string[]): { sha256: string; bytes: number; lines: number } {
  const bytes = gzipSync(`${lines.join('\n')}\n`, { level: 9 });
  writeFileSync(join(out ?? '', name), bytes);
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length, lines: lines.length };
}

mkdirSync(out, { recursive: true });
writeQuestions(work);
const made = makePairs(WORK.questions, PAIRS, join(work, 'pairs.jsonl'));
const dev = makePairs(WORK.dev, ['--one-style'], join(work, 'dev-pairs.jsonl'));
const published = gunzipSync(readFileSync(PUBLISHED)).toString('utf8').trim().split('\n');
const files = {
  [FILES.made]: write(FILES.made, bySchema(made)),
  [FILES.published]: write(FILES.published, bySchema(published)),
  [FILES.dev]: write(FILES.dev, dev),
};
writeFileSync(join(out, FILES.hard), JSON.stringify(hardOnes(made)));
const { base } = await readyModelFiles('small', storageFolder());
const variants = await measureVariants('small', out, base);
writeFileSync(join(out, 'made.json'), `${JSON.stringify({ pairs: PAIRS, files, variants }, null, 2)}\n`);
console.table(variants);
