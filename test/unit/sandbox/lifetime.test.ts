import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { SandboxProcess } from '../../../src/runtime/sandbox/process.ts';
import { Bench, filesBelow, isAlive, RUNAWAY } from './support.ts';

const poolModule = new URL('../../../src/runtime/sandbox/pool.ts', import.meta.url).href;

/** Waits until a condition holds; fails after ten seconds. */
async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 10_000;
  while (!condition()) {
    assert.ok(Date.now() < end, `waited in vain: ${what}`);
    await delay(5);
  }
}

describe('life of sandbox processes', function () {
  this.timeout(60_000);
  let bench: Bench;
  let db: string;
  beforeEach(() => {
    bench = new Bench({ children: 2, spares: 1 });
    db = bench.database('a.sqlite', 'CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)');
  });
  afterEach(() => bench.close());

  it('starts no process before the first query and keeps children and spares warm after it', async () => {
    assert.equal(bench.pool.pids.length, 0);
    await bench.query(db, 'SELECT 1');
    assert.equal(bench.pool.pids.length, 3);
  });

  it('ends a runaway query at its deadline and answers the next one', async () => {
    const started = performance.now();
    const result = await bench.query(db, RUNAWAY, { timeoutMs: 200 });
    const took = performance.now() - started;
    assert.equal(result.status, 'timeout');
    assert.equal(result.code, 'deadline');
    // A timer of Node may be a millisecond early.
    assert.ok(result.ms >= 198 && took < 10_000, `${result.ms} ms, ${took} ms`);
    assert.deepEqual((await bench.query(db, 'SELECT count(*) FROM t')).rows, [[2]]);
  });

  it('takes a reply that came in time, although this process was too busy to read it', async () => {
    await bench.query(db, 'SELECT 1');
    const { send } = SandboxProcess.prototype;
    SandboxProcess.prototype.send = function (message) {
      send.call(this, message);
      // Long enough for the child to reply, and longer than the query may take.
      process.nextTick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000));
    };
    try {
      const result = await bench.query(db, 'SELECT count(*) FROM t', { timeoutMs: 1_000 });
      assert.deepEqual([result.status, result.rows], ['ok', [[2]]]);
    } finally {
      SandboxProcess.prototype.send = send;
    }
  });

  it('leaves the same number of children and no files after 50 runaway queries', async () => {
    await bench.query(db, 'SELECT 1');
    const before = bench.pool.pids.length;
    globalThis.gc?.();
    const memory = process.memoryUsage().rss;
    const runs = Array.from({ length: 50 }, () => bench.query(db, RUNAWAY, { timeoutMs: 10 }));
    const results = await Promise.all(runs);
    assert.ok(results.every(({ status }) => status === 'timeout'));
    assert.deepEqual((await bench.query(db, 'SELECT count(*) FROM t')).rows, [[2]]);
    assert.equal(bench.pool.pids.length, before);
    assert.deepEqual(filesBelow(bench.temp), []);
    assert.deepEqual(filesBelow(bench.data), ['a.sqlite']);
    const grown = (process.memoryUsage().rss - memory) / 2 ** 20;
    assert.ok(grown < 60, `the parent grew by ${grown} MiB`);
  });

  it('cancels a running query: its process is gone when the answer comes', async () => {
    await bench.query(db, 'SELECT 1');
    const before = bench.pool.pids;
    const controller = new AbortController();
    const running = bench.pool.query({ db, sql: RUNAWAY }, controller.signal);
    setImmediate(() => controller.abort());
    const result = await running;
    assert.equal(result.status, 'cancelled');
    assert.equal(before.filter((pid) => !isAlive(pid)).length, 1);
  });

  it('cancels a query before it has started, while it starts, and in the queue', async () => {
    const aborted = await bench.pool.query({ db, sql: 'SELECT 1' }, AbortSignal.abort());
    assert.equal(aborted.status, 'cancelled');
    assert.equal(bench.pool.pids.length, 0);
    const controller = new AbortController();
    const starting = bench.pool.query({ db, sql: RUNAWAY }, controller.signal);
    const queued = Array.from({ length: 5 }, () => bench.pool.query({ db, sql: RUNAWAY }, controller.signal));
    controller.abort();
    const results = await Promise.all([starting, ...queued]);
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['cancelled']));
    assert.equal((await bench.query(db, 'SELECT 1')).status, 'ok');
  });

  it('cancels at any moment of a query', async () => {
    await bench.query(db, 'SELECT 1');
    for (let step = 0; step < 12; step++) {
      const controller = new AbortController();
      const running = bench.pool.query({ db, sql: RUNAWAY }, controller.signal);
      await delay(step);
      const cancelledAt = performance.now();
      controller.abort();
      assert.equal((await running).status, 'cancelled');
      assert.ok(performance.now() - cancelledAt < 5_000);
    }
    assert.deepEqual((await bench.query(db, 'SELECT count(*) FROM t')).rows, [[2]]);
  });

  it('says so when the process of a query is killed by somebody else, and goes on', async () => {
    await bench.query(db, 'SELECT 1');
    const killed = bench.pool.pids;
    const running = bench.query(db, RUNAWAY);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    const result = await running;
    assert.equal(result.status, 'error');
    assert.equal(result.code, 'process_ended');
    assert.match(result.message ?? '', /SIGKILL/);
    assert.deepEqual((await bench.query(db, 'SELECT count(*) FROM t')).rows, [[2]]);
  });

  it('stops a query that needs too much memory', async () => {
    const pool = new SandboxPool({ children: 1, spares: 0, memoryBytes: 200 * 2 ** 20, tempFolder: bench.temp });
    const sql = `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000)
      SELECT count(*) FROM (SELECT randomblob(1000000) AS b FROM n ORDER BY b)`;
    try {
      const result = await pool.query({ db, sql });
      assert.equal(result.status, 'oom');
      assert.equal(result.code, 'memory');
      assert.equal((await pool.query({ db, sql: 'SELECT 1' })).status, 'ok');
    } finally {
      await pool.dispose();
    }
  });

  it('lets a child stop itself that needs too much memory, where the parent cannot see it', async () => {
    for (const name of ['empty', 'temp']) mkdirSync(join(bench.temp, name));
    const child = new SandboxProcess({ folder: bench.temp, memoryBytes: 200 * 2 ** 20, watchesItself: true });
    await new Promise<void>((resolve) => {
      child.onReply = () => resolve();
    });
    const sql = `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3000)
      SELECT count(*) FROM (SELECT randomblob(1000000) AS b FROM n ORDER BY b)`;
    const limits = { maxRows: 1, maxBytes: 1, maxCellBytes: 1, distinct: false, busyMs: 0, snapshot: null };
    child.send({ id: 1, db, sql, ...limits });
    const exit = await child.exited;
    assert.equal(exit.outOfMemory, true);
  });

  it('answers that memory is short where the result fills the JavaScript heap', async () => {
    const pool = new SandboxPool({ children: 1, spares: 0, memoryBytes: 150 * 2 ** 20, tempFolder: bench.temp });
    const sql = `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x || '' FROM n`;
    try {
      const result = await pool.query({ db, sql, maxRows: Infinity, maxBytes: Infinity });
      assert.deepEqual([result.status, result.code], ['oom', 'memory']);
      assert.match(result.message ?? '', /150 MiB/);
    } finally {
      await pool.dispose();
    }
  });

  it('reads the beginnings of many large values without needing memory for all of them', async () => {
    const pool = new SandboxPool({ children: 1, spares: 0, memoryBytes: 400 * 2 ** 20, tempFolder: bench.temp });
    const numbers = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 30)';
    try {
      for (const value of ['zeroblob(30000000)', "hex(zeroblob(15000000)) || 'é'"]) {
        const result = await pool.query({ db, sql: `${numbers} SELECT ${value} FROM n`, maxCellBytes: 100 });
        assert.deepEqual([result.status, result.rows.length, result.truncated], ['ok', 30, true], result.message ?? '');
      }
    } finally {
      await pool.dispose();
    }
  });

  it('does not end a query because of Ctrl-C in the terminal: that is for the parent to say', async () => {
    await bench.query(db, 'SELECT 1');
    const running = bench.query(db, RUNAWAY, { timeoutMs: 300 });
    for (const pid of bench.pool.pids) process.kill(pid, 'SIGINT');
    assert.equal((await running).status, 'timeout');
  });

  it('goes on where somebody has cleaned the temporary folder away', async () => {
    await bench.query(db, 'SELECT 1');
    for (const name of readdirSync(bench.temp)) rmSync(join(bench.temp, name), { recursive: true });
    for (let count = 0; count < 4; count++)
      assert.equal((await bench.query(db, RUNAWAY, { timeoutMs: 10 })).status, 'timeout');
    assert.deepEqual((await bench.query(db, 'SELECT count(*) FROM t')).rows, [[2]]);
  });

  it('says that it cannot start where there is no temporary folder', async () => {
    const pool = new SandboxPool({ tempFolder: join(bench.root, 'nowhere') });
    await assert.rejects(pool.query({ db, sql: 'SELECT 1' }), { code: 'sandbox_start' });
    await pool.dispose();
  });

  it('ends waiting and running queries with an error when it is disposed of, and leaves nothing', async () => {
    await bench.query(db, 'SELECT 1');
    const { pids } = bench.pool;
    const runs = Array.from({ length: 4 }, () => bench.query(db, RUNAWAY));
    const failures = runs.map((run) => assert.rejects(run, { code: 'sandbox_closed' }));
    await bench.pool.dispose();
    await Promise.all(failures);
    assert.deepEqual(pids.filter(isAlive), []);
    assert.deepEqual(filesBelow(bench.temp), []);
    await assert.rejects(bench.query(db, 'SELECT 1'), { code: 'sandbox_closed' });
  });

  for (const moment of ['idle', 'inside SQLite'])
    it(`ends with a parent that is killed while the child is ${moment}, and leaves no files`, async () => {
      const script = join(bench.root, 'parent.ts');
      const [first, then] =
        moment === 'idle'
          ? ['SELECT 1', 'setInterval(() => {}, 1000);']
          : ['SELECT 1', `void pool.query({ db, sql: '${RUNAWAY}' });`];
      writeFileSync(
        script,
        `import { SandboxPool } from '${poolModule}';
         const db = ${JSON.stringify(db)};
         const pool = new SandboxPool({ children: 2, tempFolder: ${JSON.stringify(bench.temp)} });
         await pool.query({ db, sql: '${first}' });
         await pool.query({ db, sql: '${first}' });
         ${then}
         setTimeout(() => process.stdout.write(JSON.stringify(pool.pids) + '\\n'), 300);`,
      );
      const parent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = await once(createInterface(parent.stdout), 'line');
      const pids: number[] = JSON.parse(String(line));
      assert.equal(pids.length, 3);
      assert.deepEqual(pids.filter(isAlive), pids);
      parent.kill('SIGKILL');
      await until(() => pids.every((pid) => !isAlive(pid)), 'the children end');
      assert.deepEqual(readdirSync(bench.temp), []);
    });

  it('leaves no files where the parent ends while the first child is starting', async () => {
    const script = join(bench.root, 'hasty.ts');
    writeFileSync(
      script,
      `import { SandboxPool } from '${poolModule}';
       const pool = new SandboxPool({ tempFolder: ${JSON.stringify(bench.temp)} });
       void pool.query({ db: ${JSON.stringify(db)}, sql: 'SELECT 1' });
       process.exit();`,
    );
    await once(spawn(process.execPath, [script], { stdio: 'inherit' }), 'exit');
    await until(() => readdirSync(bench.temp).length === 0, 'the temp folder is removed');
  });

  it('removes the folders of programs that were killed together with all their children', async () => {
    const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(gone, 'exit');
    const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
    const folder = (pid: number | undefined, name: string) => {
      const path = join(bench.temp, `sql-agent-sandbox-${pid}-${name}`);
      mkdirSync(join(path, 'empty'), { recursive: true });
      return path;
    };
    const stale = folder(gone.pid, 'stale');
    const living = folder(process.pid, 'living');
    const fresh = folder(gone.pid, 'fresh');
    for (const path of [stale, living]) utimesSync(path, hoursAgo, hoursAgo);
    await bench.query(db, 'SELECT 1');
    await bench.pool.dispose();
    assert.deepEqual(
      [stale, living, fresh].map((path) => existsSync(path)),
      [false, true, true],
    );
  });

  it('lets a program end that has forgotten the pool', async () => {
    const script = join(bench.root, 'forgetful.ts');
    const query = `await pool.query({ db: ${JSON.stringify(db)}, sql: 'SELECT 1' });`;
    const start = `const pool = new SandboxPool({ tempFolder: ${JSON.stringify(bench.temp)} });`;
    writeFileSync(script, `import { SandboxPool } from '${poolModule}';\n${start}\n${query}\n`);
    const parent = spawn(process.execPath, [script], {
      stdio: 'inherit',
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    });
    const [code] = await once(parent, 'exit');
    assert.equal(code, 0);
    await until(() => readdirSync(bench.temp).length === 0, 'the temp folder is removed');
  });
});
