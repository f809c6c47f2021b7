import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod/mini';

const shared = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const Pair = z.object({ source: z.enum(['spider', 'bird']), db_id: z.string(), user: z.string(), sql: z.string() });

/** Where the questions and their databases lie in a folder. */
export const WORK = { questions: 'questions.jsonl', dev: 'dev.jsonl', databases: 'databases' } as const;

/** What a prompt of `lines-1` asks, and its hint. */
function askedIn(user: string): { question: string; evidence: string } {
  const lines = user.split('\n');
  const [question = '', before = ''] = [lines.at(-1), lines.at(-2)];
  if (!question.startsWith('Question: ')) throw new Error(`A prompt ends without a question: ${user.slice(-80)}`);
  const evidence = before.startsWith('Evidence: ') ? before.slice('Evidence: '.length) : '';
  return { question: question.slice('Question: '.length), evidence };
}

/** BIRD's training databases without rows: their schemas alone are published with the questions. */
function makeBird(root: string): void {
  const schemas = join(shared, 'bird/train_schemas');
  for (const file of readdirSync(schemas)) {
    const name = `bird-${file.replace('.sql', '')}`;
    mkdirSync(join(root, name), { recursive: true });
    const database = new DatabaseSync(join(root, name, `${name}.sqlite`));
    const script = readFileSync(join(schemas, file), 'utf8');
    database.exec(script.replace(/CREATE TABLE\s+["`]?sqlite_sequence["`]?\s*\([^)]*\)\s*;?/gi, ''));
    database.close();
  }
}

function copySpider(root: string): void {
  const databases = join(shared, 'spider/database');
  for (const name of readdirSync(databases)) {
    const path = join(databases, name, `${name}.sqlite`);
    if (!existsSync(path)) continue;
    mkdirSync(join(root, name), { recursive: true });
    copyFileSync(path, join(root, name, `${name}.sqlite`));
  }
}

/**
 * Writes the questions of the published training pairs with their golds (keywords in capitals, texts in single quotes) as
 * a dataset, beside it the development questions that all share, and the databases of both.
 */
export function writeQuestions(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const root = join(folder, WORK.databases);
  mkdirSync(root, { recursive: true });
  copySpider(root);
  makeBird(root);
  const pairs = gunzipSync(readFileSync(join(shared, 'pairs/train.jsonl.gz')))
    .toString('utf8')
    .trim()
    .split('\n');
  const lines = pairs.map((line, index) => {
    const { source, db_id, user, sql } = Pair.parse(JSON.parse(line));
    const { question, evidence } = askedIn(user);
    const database = source === 'bird' ? `bird-${db_id}` : db_id;
    return JSON.stringify({ id: `${source}-${index}`, db_id: database, question, evidence, gold: sql });
  });
  writeFileSync(join(folder, WORK.questions), `${lines.join('\n')}\n`);
  const dev = z
    .array(z.object({ db_id: z.string(), question: z.string(), query: z.string() }))
    .parse(JSON.parse(readFileSync(join(shared, 'spider/dev_shared.json'), 'utf8')));
  const questions = dev.map(({ db_id, question, query }, index) =>
    JSON.stringify({ id: String(index), db_id, question, gold: query }),
  );
  writeFileSync(join(folder, WORK.dev), `${questions.join('\n')}\n`);
}
