import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DapClient } from '../test/unit/dap/client.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const ROWS = 1_000_000;
const RUNS = 5;
const JOIN = 'SELECT a.name, b.amount FROM a JOIN b ON b.a_id = a.id WHERE b.amount > 5';
/** Counts for minutes. */
const ENDLESS = 'SELECT 1 FROM a JOIN b ON b.amount + a.id > 0';

function buildDatabase(path: string): void {
  const database = new DatabaseSync(path);
  const numbers = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  database.exec(`CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER, amount INTEGER);
    ${numbers(ROWS / 5)} INSERT INTO a SELECT i, 'name ' || i FROM n;
    ${numbers(ROWS)} INSERT INTO b SELECT i, i % ${ROWS / 5} + 1, i % 13 FROM n;
    CREATE INDEX b_a ON b (a_id)`);
  database.close();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** One session: a step to the join, the first page of its rows. */
async function step(folder: string, db: string): Promise<{ count: number; page: number }> {
  const client = new DapClient(folder);
  try {
    await client.launch({ sql: JOIN, database: db });
    const count = await timed(() => client.move('next'));
    const { variablesReference } = await client.scope('Rows after');
    const page = await timed(() => client.variables(variablesReference, { filter: 'indexed', start: 0, count: 100 }));
    return { count, page };
  } finally {
    await client.close();
  }
}

/** One session: until progress is told of a long count, and until it is stopped when that is cancelled. */
async function cancel(folder: string, db: string): Promise<{ progress: number; stop: number }> {
  const client = new DapClient(folder);
  try {
    await client.launch({ sql: ENDLESS, database: db });
    const begun = client.next('progressStart');
    const stopped = client.next('stopped');
    const progress = await timed(async () => {
      await client.ask('next', { threadId: 1 });
      await begun;
    });
    const { progressId } = await begun;
    const stop = await timed(async () => {
      await client.ask('cancel', { progressId });
      await stopped;
    });
    return { progress, stop };
  } finally {
    await client.close();
  }
}

async function measure(folder: string): Promise<Measurement[]> {
  const db = join(folder, 'large.sqlite');
  buildDatabase(db);
  const steps = [];
  const cancels = [];
  for (let run = 0; run < RUNS; run += 1) {
    steps.push(await step(folder, db));
    cancels.push(await cancel(folder, db));
  }
  const of = (what: string, values: number[], reach: string): Measurement => ({
    what: `${what}, median of ${RUNS}`,
    value: median(values),
    unit: 'ms',
    reach,
  });
  return [
    of(
      `step to an indexed join of ${ROWS.toLocaleString('en-US')} rows`,
      steps.map(({ count }) => count),
      '<= 300 ms',
    ),
    of(
      'the first 100 of its rows',
      steps.map(({ page }) => page),
      '<= 100 ms',
    ),
    of(
      'a longer step: until progress is told',
      cancels.map(({ progress }) => progress),
      '<= 300 ms',
    ),
    of(
      'from cancel to stop',
      cancels.map(({ stop }) => stop),
      '<= 100 ms',
    ),
  ];
}

export const benchmark: Benchmark = {
  title: 'Stepping through a query over a large join',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
    try {
      return await measure(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
