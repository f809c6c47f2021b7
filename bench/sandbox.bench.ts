import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxPool } from '../src/runtime/sandbox/pool.ts';
import { sharedFolder } from '../test/support/shared.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const SPIDER = join(sharedFolder, 'data/spider');
const SAMPLE = join(sharedFolder, 'data/samples/chinook.sqlite');
const RUNAWAY = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
const DEADLINE_MS = 500;

interface Gold {
  db: string;
  sql: string;
}

function golds(file: string): Gold[] {
  const items: { db_id: string; query: string }[] = JSON.parse(readFileSync(join(SPIDER, file), 'utf8'));
  return items.map(({ db_id, query }) => ({ db: join(SPIDER, 'database', db_id, `${db_id}.sqlite`), sql: query }));
}

/** A generator of numbers in [0, 1) from a seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled<T>(values: T[], seed: number): T[] {
  const random = seeded(seed);
  const keyed = values.map((value) => ({ value, key: random() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ value }) => value);
}

function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function warm(pool: SandboxPool): Promise<void> {
  const queries = Array.from({ length: 200 }, () => pool.query({ db: SAMPLE, sql: 'SELECT 1' }));
  await Promise.all(queries);
}

async function roundTrip(): Promise<Measurement[]> {
  const pool = new SandboxPool();
  await warm(pool);
  const times: number[] = [];
  for (let count = 0; count < 3000; count++) {
    const started = performance.now();
    await pool.query({ db: SAMPLE, sql: 'SELECT 1' });
    times.push(performance.now() - started);
  }
  await pool.dispose();
  return [
    { what: 'trivial query, warm, median round trip', value: quantile(times, 0.5), unit: 'ms', reach: '<= 0.3 ms' },
    { what: 'trivial query, warm, 99th percentile', value: quantile(times, 0.99), unit: 'ms' },
  ];
}

async function throughput(what: string, work: Gold[], reach: string): Promise<Measurement[]> {
  const pool = new SandboxPool({ children: 2 });
  await warm(pool);
  let failed = 0;
  const started = performance.now();
  await Promise.all(
    work.map(async (query) => {
      const { status } = await pool.query(query).catch(() => ({ status: 'failed' }));
      if (status !== 'ok') failed++;
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await pool.dispose();
  return [
    { what, value: work.length / seconds, unit: 'queries/s', reach },
    { what: `${what}: not ok, of ${work.length}`, value: failed, unit: 'queries' },
  ];
}

async function runaway(): Promise<Measurement[]> {
  const pool = new SandboxPool({ children: 2 });
  await warm(pool);
  const late: number[] = [];
  const next: number[] = [];
  for (let count = 0; count < 10; count++) {
    const started = performance.now();
    await pool.query({ db: SAMPLE, sql: RUNAWAY, timeoutMs: DEADLINE_MS });
    const ended = performance.now();
    late.push(ended - started - DEADLINE_MS);
    await pool.query({ db: SAMPLE, sql: 'SELECT count(*) FROM Album' });
    next.push(performance.now() - ended);
  }
  await pool.dispose();
  return [
    { what: 'runaway query, killed late by, worst of 10', value: Math.max(...late), unit: 'ms', reach: '<= 50 ms' },
    { what: 'query after it, served within, worst of 10', value: Math.max(...next), unit: 'ms', reach: '<= 100 ms' },
  ];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function cancellation(): Promise<Measurement[]> {
  const pool = new SandboxPool({ children: 2 });
  await warm(pool);
  const ended: number[] = [];
  let left = 0;
  for (let count = 0; count < 30; count++) {
    const controller = new AbortController();
    const before = pool.pids;
    const running = pool.query({ db: SAMPLE, sql: RUNAWAY }, controller.signal);
    await delay(count * 3);
    const started = performance.now();
    controller.abort();
    await running;
    ended.push(performance.now() - started);
    left += before.filter((pid) => !pool.pids.includes(pid) && isAlive(pid)).length;
  }
  await pool.dispose();
  return [
    { what: 'cancelled query, ended within, worst of 30', value: Math.max(...ended), unit: 'ms', reach: '<= 200 ms' },
    { what: 'processes of cancelled queries that were left', value: left, unit: 'processes', reach: '0' },
  ];
}

function filesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
}

async function manyRunaways(): Promise<Measurement[]> {
  const tempFolder = mkdtempSync(join(tmpdir(), 'sandbox-bench-'));
  const pool = new SandboxPool({ children: 2, tempFolder });
  await warm(pool);
  await pool.query({ db: SAMPLE, sql: RUNAWAY, timeoutMs: 20 });
  await warm(pool);
  const childrenBefore = pool.pids.length;
  globalThis.gc?.();
  const memoryBefore = process.memoryUsage().rss;
  const filesBefore = filesBelow(tempFolder);
  await Promise.all(Array.from({ length: 200 }, () => pool.query({ db: SAMPLE, sql: RUNAWAY, timeoutMs: 50 })));
  await warm(pool);
  globalThis.gc?.();
  const grown = (process.memoryUsage().rss - memoryBefore) / 2 ** 20;
  const children = pool.pids.length - childrenBefore;
  const files = filesBelow(tempFolder) - filesBefore;
  await pool.dispose();
  rmSync(tempFolder, { recursive: true });
  return [
    { what: '200 runaway queries: children more', value: children, unit: 'processes', reach: '0' },
    { what: '200 runaway queries: parent memory more', value: grown, unit: 'MB', reach: '<= 20 MB' },
    { what: '200 runaway queries: temp files more', value: files, unit: 'files', reach: '0' },
  ];
}

export const benchmark: Benchmark = {
  title: 'sandbox: round trip, throughput on Spider, deadline, cancellation, 200 runaway queries',
  async run() {
    const dev = golds('dev_shared.json');
    return [
      ...(await roundTrip()),
      ...(await throughput(
        '2 children, dev_shared golds x 20 shuffled',
        shuffled(Array.from({ length: 20 }, () => dev).flat(), 1),
        '>= 5000',
      )),
      ...(await throughput('2 children, train golds', golds('train.json'), '>= 3000')),
      ...(await runaway()),
      ...(await cancellation()),
      ...(await manyRunaways()),
    ];
  },
};
