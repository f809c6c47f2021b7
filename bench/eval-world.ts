// A small database, a dataset of any length and a scripted model that answers it: what the benchmarks of eval run on.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SINGERS = 2000;
const COUNTRIES = 20;
/** Every so-manieth answer is wrong, so that differing rows are looked for as well. */
const WRONG = 3;

export interface EvalFiles {
  folder: string;
  dataset: string;
  script: string;
  ids: string[];
}

function buildDatabase(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('BEGIN; CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER)');
  const insert = database.prepare('INSERT INTO singer VALUES (?, ?, ?, ?)');
  for (let id = 1; id <= SINGERS; id += 1)
    insert.run(id, `Singer ${id}`, `Country ${id % COUNTRIES}`, 18 + ((id * 7) % 60));
  database.exec('COMMIT');
  database.close();
}

/** @param delayMs how long the model takes for each reply */
export function makeEval(count: number, delayMs: number): EvalFiles {
  const folder = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
  buildDatabase(join(folder, 'singers.sqlite'));
  const items = Array.from({ length: count }, (_, index) => ({
    id: `q${index}`,
    database: 'singers.sqlite',
    question: `Which singers of country ${index % COUNTRIES} are older than ${index / count} decades?`,
    sql: `SELECT name FROM singer WHERE country = 'Country ${index % COUNTRIES}' AND age / 10.0 > ${index / count}`,
  }));
  const replyOf = (sql: string, index: number) => ({
    text: index % WRONG === 0 ? `${sql} LIMIT 5` : `${sql} ORDER BY name`,
    delayMs,
  });
  const byQuestion = Object.fromEntries(items.map(({ question, sql }, index) => [question, replyOf(sql, index)]));
  const dataset = join(folder, 'singers.sql-tests.jsonl');
  const script = join(folder, 'script.json');
  writeFileSync(dataset, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  writeFileSync(script, JSON.stringify({ protocol: 'one_shot', name: 'scripted', byQuestion }));
  return { folder, dataset, script, ids: items.map(({ id }) => id) };
}
