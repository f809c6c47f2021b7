import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { renderLines1 } from '../src/core/schema/lines1.ts';
import { ask } from '../src/runtime/ask.ts';
import { readCatalog } from '../src/runtime/catalog.ts';
import { openEngine } from '../src/runtime/engine.ts';
import { createLocalProvider } from '../src/runtime/model/local-provider.ts';
import { packageRoot } from '../src/runtime/paths.ts';
import { SandboxPool } from '../src/runtime/sandbox/pool.ts';
import { openStore } from '../src/runtime/store/store.ts';
import { DEFAULT_SCAN_BUDGET_MS, scanValues } from '../src/runtime/store/values.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const ROWS = 10_000_000;
const QUESTION = 'Which customers in city 3 bought Iron Maiden albums in 2010?';

/** Four text columns, each of which has to be read to its end to know its few values. */
function buildLarge(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  database.exec('CREATE TABLE event (id INTEGER PRIMARY KEY, city TEXT, code TEXT, state TEXT, segment TEXT)');
  database.exec(`INSERT INTO event (city, code, state, segment)
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS - 1})
    SELECT 'city ' || (i % 6), 'code ' || (i * 7919 % 4000), 'state ' || (i * 31 % 50), 'customer segment ' || (i % 900) FROM n`);
  database.close();
}

async function timed<T>(work: () => Promise<T> | T): Promise<{ ms: number; value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}

async function sample(folder: string, pool: SandboxPool): Promise<Measurement[]> {
  const db = join(folder, 'chinook.sqlite');
  copyFileSync(join(packageRoot, 'media/chinook.sqlite'), db);
  const catalog = await readCatalog(pool, db);
  const storage = join(folder, 'storage');
  const store = openStore(storage);
  const options = { sandbox: pool, db, catalog, budgetMs: DEFAULT_SCAN_BUDGET_MS };
  const first = await timed(() => scanValues({ ...options, store }));
  const memory = await timed(() => scanValues({ ...options, store }));
  store.close();
  const reopened = openStore(storage);
  const stored = await timed(() => scanValues({ ...options, store: reopened }));
  const scan = stored.value;
  const render = () => renderLines1({ catalog, scan, tables: null, question: QUESTION, evidence: '' });
  const prompt = await timed(render);
  const again = await timed(render);
  reopened.close();
  return [
    { what: 'values of Chinook, scanned', value: first.ms, unit: 'ms' },
    { what: 'values of Chinook, from the store in a new process', value: stored.ms, unit: 'ms' },
    { what: 'values of Chinook, second question', value: memory.ms, unit: 'ms', reach: 'a few ms' },
    { what: 'prompt on Chinook, first question (makes the index)', value: prompt.ms, unit: 'ms' },
    { what: 'prompt on Chinook, second question', value: again.ms, unit: 'ms', reach: 'a few ms' },
  ];
}

/** Milliseconds from the question to the first token, with nothing opened, joined or cached before. */
async function firstToken(db: string, storage: string): Promise<number> {
  const started = performance.now();
  const engine = await openEngine({ storage });
  const provider = createLocalProvider({ name: 'small', storage });
  const limits = { samples: 1, turns: 4, timeoutMs: 30_000, maxRows: 100 };
  const request = { db, question: QUESTION, evidence: '', previous: null, gold: null, transcript: null, ...limits };
  let ms = Number.NaN;
  try {
    await ask(engine, provider, { ...request, link: 'auto' }, ({ type }) => {
      if (type === 'token' && Number.isNaN(ms)) ms = performance.now() - started;
    });
    return ms;
  } finally {
    await provider.dispose();
    await engine.dispose();
  }
}

async function large(folder: string, pool: SandboxPool): Promise<Measurement[]> {
  const db = join(folder, 'large.sqlite');
  buildLarge(db);
  const schema = await timed(() => readCatalog(pool, db));
  const options = { sandbox: pool, store: null, db, catalog: schema.value };
  const limited = await timed(() => scanValues({ ...options, budgetMs: DEFAULT_SCAN_BUDGET_MS }));
  const whole = await timed(() => scanValues({ ...options, budgetMs: null }));
  const what = 'four text columns of 10 million rows';
  return [
    {
      what: `${what}: first token of the bundled model, from an empty storage folder`,
      value: await firstToken(db, join(folder, 'first-start')),
      unit: 'ms',
      reach: '<= 5,000 ms',
    },
    { what: `${what}: schema and values, default time limit`, value: schema.ms + limited.ms, unit: 'ms' },
    { what: `${what}: columns left out by the limit`, value: limited.value.skipped.length, unit: 'of 4' },
    { what: `${what}: values without a limit`, value: whole.ms, unit: 'ms' },
  ];
}

export const benchmark: Benchmark = {
  title: 'cell values for the prompt',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
    const pool = new SandboxPool();
    try {
      return [...(await sample(folder, pool)), ...(await large(folder, pool))];
    } finally {
      await pool.dispose();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
