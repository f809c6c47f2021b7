import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { Bench, contentOf, filesBelow } from './support.ts';

const COUNT = 'SELECT count(*) FROM t';

describe('databases in WAL mode and with journals', function () {
  this.timeout(60_000);
  let bench: Bench;
  let writer: DatabaseSync | null;

  beforeEach(() => {
    bench = new Bench({ spares: 0 });
    writer = null;
  });
  afterEach(async () => {
    if (writer?.isOpen) writer.close();
    await bench.close();
  });

  /** A database in WAL mode with one row in the file and one in the WAL; the writer stays open. */
  function openWal(name: string): string {
    const db = bench.database(name, 'PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1)');
    writer = new DatabaseSync(db);
    writer.exec('PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (2)');
    return db;
  }

  /** Copies a database and some of its companions to another name, as a backup of a running program would. */
  function copyOf(db: string, name: string, endings: string[]): string {
    const copy = join(bench.data, name);
    for (const ending of ['', ...endings]) copyFileSync(db + ending, copy + ending);
    return copy;
  }

  it('shows committed rows that are still in the WAL of a running program, and leaves its files as they are', async () => {
    const db = openWal('live.sqlite');
    const before = contentOf(bench.data);
    assert.deepEqual((await bench.query(db, COUNT)).rows, [[2]]);
    writer?.exec('INSERT INTO t VALUES (3)');
    const result = await bench.query(db, COUNT);
    assert.deepEqual(result.rows, [[3]]);
    assert.deepEqual(result.notes, []);
    const after = contentOf(bench.data);
    assert.deepEqual(Object.keys(after), Object.keys(before));
    assert.equal(after['live.sqlite'], before['live.sqlite']);
  });

  it('does not show rows of a transaction that is not committed', async () => {
    const db = openWal('open.sqlite');
    writer?.exec('BEGIN; INSERT INTO t VALUES (3)');
    assert.deepEqual((await bench.query(db, COUNT)).rows, [[2]]);
  });

  it('holds no lock between queries: the writer can checkpoint, change the journal mode and close cleanly', async () => {
    const db = openWal('idle.sqlite');
    await bench.query(db, COUNT);
    assert.deepEqual(
      { ...writer?.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() },
      { busy: 0, log: 0, checkpointed: 0 },
    );
    assert.deepEqual({ ...writer?.prepare('PRAGMA journal_mode = DELETE').get() }, { journal_mode: 'delete' });
    writer?.close();
    assert.deepEqual(filesBelow(bench.data), ['idle.sqlite']);
    assert.deepEqual((await bench.query(db, COUNT)).rows, [[2]]);
  });

  it('reads a database in WAL mode without a WAL, and makes none', async () => {
    const db = bench.database(
      'closed.sqlite',
      'PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1)',
    );
    const before = contentOf(bench.data);
    assert.deepEqual(Object.keys(before), ['closed.sqlite']);
    assert.deepEqual((await bench.query(db, COUNT)).rows, [[1]]);
    assert.deepEqual(contentOf(bench.data), before);
  });

  it('sees what a program wrote to such a database between two queries, while it runs and after it ended', async () => {
    const db = bench.database(
      'between.sqlite',
      'PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1)',
    );
    for (let rows = 1; rows < 12; rows += 2) {
      assert.deepEqual((await bench.query(db, COUNT)).rows, [[rows]]);
      writer = new DatabaseSync(db);
      writer.exec('INSERT INTO t VALUES (2)');
      assert.deepEqual((await bench.query(db, COUNT)).rows, [[rows + 1]]);
      writer.exec('INSERT INTO t VALUES (3)');
      writer.close();
      assert.deepEqual((await bench.query(db, COUNT)).rows, [[rows + 2]]);
    }
    assert.deepEqual(filesBelow(bench.data), ['between.sqlite']);
  });

  it('reads a copy where the WAL has no index beside it, says so, and leaves nothing', async () => {
    const db = copyOf(openWal('origin.sqlite'), 'media.sqlite', ['-wal']);
    writer?.close();
    const before = contentOf(bench.data);
    for (let count = 0; count < 2; count++) {
      const result = await bench.query(db, COUNT);
      assert.deepEqual(result.rows, [[2]]);
      assert.match(result.notes.join(), /copy of .*media\.sqlite/);
    }
    assert.deepEqual(contentOf(bench.data), before);
    assert.equal(filesBelow(bench.temp).filter((name) => name.endsWith('.sqlite')).length, 1);
    await bench.pool.dispose();
    assert.deepEqual(filesBelow(bench.temp), []);
  });

  it('reads what a program that died left in WAL and index, and changes neither database nor WAL', async () => {
    const db = copyOf(openWal('origin.sqlite'), 'died.sqlite', ['-wal', '-shm']);
    writer?.close();
    const before = contentOf(bench.data);
    for (let count = 0; count < 2; count++) assert.deepEqual((await bench.query(db, COUNT)).rows, [[2]]);
    const after = contentOf(bench.data);
    assert.deepEqual(Object.keys(after), Object.keys(before));
    for (const name of ['died.sqlite', 'died.sqlite-wal']) assert.equal(after[name], before[name]);
  });

  it('copies the file that a link points to, with its WAL', async () => {
    const db = copyOf(openWal('origin.sqlite'), 'media.sqlite', ['-wal']);
    const link = join(bench.temp, 'link.sqlite');
    symlinkSync(db, link);
    assert.deepEqual((await bench.query(link, COUNT)).rows, [[2]]);
  });

  it('copies again where such a database has changed', async () => {
    const origin = openWal('origin.sqlite');
    const db = copyOf(origin, 'media.sqlite', ['-wal']);
    assert.deepEqual((await bench.query(db, COUNT)).rows, [[2]]);
    for (let rows = 3; rows < 9; rows++) {
      writer?.exec('INSERT INTO t VALUES (3)');
      copyFileSync(`${origin}-wal`, `${db}-wal`);
      assert.deepEqual((await bench.query(db, COUNT)).rows, [[rows]]);
    }
    const copies = filesBelow(bench.temp).filter((name) => name.endsWith('snapshot.sqlite'));
    assert.ok(copies.length <= 2, copies.join());
  });

  it('reads from media that cannot be written, as a user without rights', async function () {
    if (process.platform === 'win32') this.skip();
    const origin = openWal('origin.sqlite');
    const media = join(bench.data, 'media');
    mkdirSync(media);
    for (const [name, endings] of [
      ['wal', ['-wal']],
      ['both', ['-wal', '-shm']],
    ] as const)
      for (const ending of ['', ...endings]) copyFileSync(origin + ending, join(media, name + ending));
    writer?.close();
    copyFileSync(origin, join(media, 'closed'));
    for (const name of readdirSync(media)) chmodSync(join(media, name), 0o444);
    chmodSync(media, 0o555);
    for (const folder of [bench.root, bench.data, bench.temp]) chmodSync(folder, 0o777);
    const before = contentOf(media);
    const pool = new SandboxPool({ children: 1, spares: 0, tempFolder: bench.temp });
    // The superuser may write everywhere, so the queries run as nobody.
    const isSuperuser = process.getuid?.() === 0;
    if (isSuperuser) process.seteuid?.(65534);
    try {
      for (const [name, copied] of [
        ['wal', true],
        ['both', false],
        ['closed', false],
      ] as const) {
        const result = await pool.query({ db: join(media, name), sql: COUNT });
        assert.deepEqual([result.rows, result.notes.length > 0], [[[2]], copied], `${name}: ${result.message}`);
      }
    } finally {
      if (isSuperuser) process.seteuid?.(0);
      await pool.dispose();
      chmodSync(media, 0o777);
    }
    assert.deepEqual(contentOf(media), before);
  });

  it('undoes in a copy what a program that died left half-written', async () => {
    const origin = bench.database('origin.sqlite', 'CREATE TABLE t(a); INSERT INTO t VALUES (1)');
    writer = new DatabaseSync(origin);
    // A cache of one page makes SQLite write to the file, after its journal, before the transaction ends.
    writer.exec('PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN');
    const insert = writer.prepare('INSERT INTO t VALUES (?)');
    for (let count = 0; count < 2000; count++) insert.run('x'.repeat(200));
    const db = copyOf(origin, 'died.sqlite', ['-journal']);
    writer.exec('ROLLBACK');
    const before = contentOf(bench.data);
    const result = await bench.query(db, COUNT);
    assert.deepEqual(result.rows, [[1]]);
    assert.match(result.notes.join(), /half-done write/);
    assert.deepEqual(contentOf(bench.data), before);
  });

  it('refuses a journal that names another file, which undoing it would delete', async () => {
    const origin = bench.database('origin.sqlite', 'CREATE TABLE t(a); INSERT INTO t VALUES (1)');
    writer = new DatabaseSync(origin);
    writer.exec('PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN');
    const insert = writer.prepare('INSERT INTO t VALUES (?)');
    for (let count = 0; count < 2000; count++) insert.run('x'.repeat(200));
    const db = copyOf(origin, 'died.sqlite', ['-journal']);
    writer.exec('ROLLBACK');
    const victim = join(bench.data, 'victim.txt');
    writeFileSync(victim, '');
    writeFileSync(`${db}-journal`, Buffer.concat([readFileSync(`${db}-journal`), superJournal(victim)]));
    await assert.rejects(bench.query(db, COUNT), { code: 'db_super_journal' });
    assert.ok(existsSync(victim));
  });

  it('answers before the deadline that a database is locked, and reads it when it is free', async () => {
    const db = bench.database('locked.sqlite', 'CREATE TABLE t(a); INSERT INTO t VALUES (1)');
    writer = new DatabaseSync(db);
    writer.exec('BEGIN EXCLUSIVE');
    await assert.rejects(bench.query(db, COUNT, { timeoutMs: 1600 }), { code: 'db_locked' });
    writer.exec('ROLLBACK');
    assert.deepEqual((await bench.query(db, COUNT)).rows, [[1]]);
  });

  it('waits for a lock that is given up in time', async () => {
    const db = bench.database('busy.sqlite', 'CREATE TABLE t(a); INSERT INTO t VALUES (1)');
    assert.deepEqual((await bench.query(db, COUNT)).rows, [[1]]);
    writer = new DatabaseSync(db);
    writer.exec('BEGIN EXCLUSIVE; INSERT INTO t VALUES (2)');
    const waiting = bench.query(db, COUNT);
    setTimeout(() => writer?.exec('COMMIT'), 150);
    assert.deepEqual((await waiting).rows, [[2]]);
  });

  it('holds no lock on a database with a rollback journal between queries', async () => {
    const db = bench.database('free.sqlite', 'CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)');
    await bench.query(db, 'SELECT * FROM t', { maxRows: 1 });
    writer = new DatabaseSync(db, { timeout: 0 });
    writer.exec('BEGIN EXCLUSIVE; INSERT INTO t VALUES (4); COMMIT');
    assert.deepEqual((await bench.query(db, COUNT)).rows, [[4]]);
  });

  it('shows new columns of a table that another program changed, also for a query it knows', async () => {
    const db = bench.database('altered.sqlite', 'CREATE TABLE t(a); INSERT INTO t VALUES (1)');
    const sql = 'SELECT * FROM t';
    assert.deepEqual((await bench.query(db, sql)).columns, ['a']);
    writer = new DatabaseSync(db);
    writer.exec('ALTER TABLE t ADD COLUMN b DEFAULT 5; ALTER TABLE t RENAME COLUMN a TO z');
    const result = await bench.query(db, sql);
    assert.deepEqual(result.columns, ['z', 'b']);
    assert.deepEqual(result.rows, [[1, 5]]);
    assert.deepEqual(result.touched, [{ table: 't', columns: ['z', 'b'] }]);
  });

  it('reads the file that now stands at a path, not the one that stood there', async () => {
    const db = bench.database('replaced.sqlite', 'CREATE TABLE t(a); INSERT INTO t VALUES (1)');
    const other = bench.database('other.sqlite', 'CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)');
    assert.deepEqual((await bench.query(db, COUNT)).rows, [[1]]);
    renameSync(other, db);
    assert.deepEqual((await bench.query(db, COUNT)).rows, [[2]]);
    rmSync(db);
    await assert.rejects(bench.query(db, COUNT), { code: 'db_missing' });
    assert.ok(!existsSync(db));
  });

  for (const mode of ['DELETE', 'TRUNCATE', 'WAL'])
    it(`sees whole transactions only of a program that writes all the time, journal mode ${mode}`, async () => {
      const db = bench.database(
        'busy.sqlite',
        `PRAGMA journal_mode = ${mode}; CREATE TABLE t(a); INSERT INTO t VALUES (0), (0)`,
      );
      for (let count = 1; count <= 150; count++) {
        const query = bench.query(db, 'SELECT sum(a), max(a) FROM t');
        // Opened and closed each time: the WAL comes and goes.
        const program = new DatabaseSync(db, { timeout: 5000 });
        program.exec(
          `BEGIN; UPDATE t SET a = ${count} WHERE rowid = 1; UPDATE t SET a = -${count} WHERE rowid = 2; COMMIT`,
        );
        program.close();
        const [row] = (await query).rows;
        assert.equal(row?.[0], 0);
        assert.deepEqual((await bench.query(db, 'SELECT max(a) FROM t')).rows, [[count]]);
      }
      assert.deepEqual(filesBelow(bench.data), ['busy.sqlite']);
    });
});

/** The end of a rollback journal that names a super-journal (https://sqlite.org/fileformat2.html#the_rollback_journal). */
function superJournal(name: string): Buffer {
  const bytes = Buffer.from(name);
  const record = Buffer.alloc(4 + bytes.length + 16);
  // The page number that no page has: the one of the lock byte.
  record.writeUInt32BE(262145, 0);
  bytes.copy(record, 4);
  record.writeUInt32BE(bytes.length, 4 + bytes.length);
  record.writeUInt32BE(
    bytes.reduce((sum, byte) => sum + byte, 0),
    8 + bytes.length,
  );
  Buffer.from('d9d505f920a163d7', 'hex').copy(record, 12 + bytes.length);
  return record;
}
