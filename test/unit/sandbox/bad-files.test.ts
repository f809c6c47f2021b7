import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { AppError } from '../../../src/protocol/errors.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { Bench, contentOf, filesBelow } from './support.ts';

/** Bytes that look random, from a seed. */
function noise(length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
    createHash('sha256').update(String(index)).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

const ROWS = `CREATE TABLE t(a, b); CREATE INDEX t_a ON t(a); CREATE TABLE small(x); INSERT INTO small VALUES (1);
  WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000) INSERT INTO t SELECT x, hex(zeroblob(100)) FROM n`;

describe('files that are no good database', function () {
  this.timeout(30_000);
  let bench: Bench;
  before(() => {
    bench = new Bench({ spares: 0 });
  });
  after(() => bench.close());

  function file(name: string, content: Buffer | string): string {
    const path = join(bench.data, name);
    writeFileSync(path, content);
    return path;
  }

  function overwrite(path: string, offset: number, content: Buffer): void {
    const handle = openSync(path, 'r+');
    writeSync(handle, content, 0, content.length, offset);
    closeSync(handle);
  }

  /** Asserts that a query fails with a code and a message that names the file, and that nothing has changed on disk. */
  async function fails(db: string, code: string, sql = 'SELECT count(*) FROM t'): Promise<AppError> {
    const before = contentOf(bench.data);
    const error = await bench.query(db, sql).then(
      () => assert.fail(`${db} was read`),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof AppError);
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.includes(db), error.message);
    assert.deepEqual(contentOf(bench.data), before);
    assert.deepEqual(filesBelow(bench.temp), []);
    return error;
  }

  it('says that a file is missing, and does not make it', async () => {
    const db = join(bench.data, 'missing.sqlite');
    await fails(db, 'db_missing');
    await fails(join(bench.data, 'no-folder', 'x.sqlite'), 'db_missing');
    assert.ok(!existsSync(db));
  });

  it('says that a path is a folder', async () => {
    const db = join(bench.data, 'folder.sqlite');
    mkdirSync(db);
    await fails(db, 'db_folder');
  });

  it('says that a path is a device, without reading it', async function () {
    if (process.platform === 'win32') this.skip();
    await fails('/dev/zero', 'db_not_a_file');
  });

  it('says that a file is empty', async () => {
    await fails(file('empty.sqlite', ''), 'db_empty');
  });

  it('says that a text is no database', async () => {
    const error = await fails(file('text.sqlite', 'id,name\n1,x\n'.repeat(500)), 'db_not_sqlite');
    assert.match(error.message, /a text file/);
  });

  it('says what other kind of file it is', async () => {
    const zip = Buffer.concat([Buffer.from('504b0304', 'hex'), deflateRawSync(noise(5000))]);
    assert.match((await fails(file('zip.sqlite', zip), 'db_not_sqlite')).message, /zip archive/);
    assert.match((await fails(file('gzip.sqlite', gzipSync(noise(5000))), 'db_not_sqlite')).message, /gzip archive/);
  });

  it('says that a file of noise may be encrypted', async () => {
    const error = await fails(file('secret.sqlite', noise(8192)), 'db_encrypted');
    assert.match(error.message, /may be encrypted/);
    await fails(file('secret-page.sqlite', noise(512)), 'db_encrypted');
  });

  it('says that a database with an encrypted rest behind a plain header is damaged or encrypted', async () => {
    const db = bench.database('partly.sqlite', ROWS);
    overwrite(db, 16, noise(8192 - 16));
    const error = await fails(db, 'db_not_sqlite');
    assert.match(error.message, /encrypted/);
  });

  for (const [what, size] of [
    ['in the middle', 40_960],
    ['in the middle of a page', 40_961],
    ['after the first page', 4096],
    ['in its header', 60],
    ['in its first word', 10],
  ] as const)
    it(`says that a file is truncated ${what}`, async () => {
      const db = bench.database(`truncated-${size}.sqlite`, ROWS);
      truncateSync(db, size);
      await fails(db, 'db_truncated');
    });

  it('says that a file cannot be read for want of permission', async function () {
    if (process.platform === 'win32') this.skip();
    const db = bench.database('private.sqlite', ROWS);
    chmodSync(db, 0);
    // The superuser reads everything, so the query runs as nobody.
    const isSuperuser = process.getuid?.() === 0;
    for (const folder of [bench.root, bench.data, bench.temp]) chmodSync(folder, 0o777);
    const pool = new SandboxPool({ children: 1, spares: 0, tempFolder: bench.temp });
    if (isSuperuser) process.seteuid?.(65534);
    try {
      await assert.rejects(pool.query({ db, sql: 'SELECT 1' }), { code: 'db_unreadable' });
    } finally {
      if (isSuperuser) process.seteuid?.(0);
      await pool.dispose();
    }
  });

  it('says that a file cannot be read because of its disk', async function () {
    // The one regular file everywhere on Linux that the system refuses to read.
    if (process.platform !== 'linux') this.skip();
    await assert.rejects(bench.query('/proc/self/mem', 'SELECT 1'), { code: 'db_unreadable' });
  });

  it('says that a name is unusable', async () => {
    await assert.rejects(bench.query(`${bench.data}/a\0b`, 'SELECT 1'), { code: 'db_unreadable' });
    await assert.rejects(bench.query(join(bench.data, 'x'.repeat(300)), 'SELECT 1'), { code: 'db_unreadable' });
  });

  it('says that links point in a circle', async function () {
    if (process.platform === 'win32') this.skip();
    const db = join(bench.data, 'circle.sqlite');
    symlinkSync(db, db);
    await assert.rejects(bench.query(db, 'SELECT 1'), { code: 'db_unreadable' });
  });

  it('reads what is whole in a file with a corrupt page, and says which query cannot be answered', async () => {
    const db = bench.database('corrupt.sqlite', ROWS);
    const pages = readFileSync(db).length / 4096;
    // Every page behind the first four; `small` lies before them.
    for (let page = 5; page < pages; page++) overwrite(db, page * 4096, noise(4096));
    const before = contentOf(bench.data);
    const result = await bench.query(db, 'SELECT sum(length(b)) FROM t NOT INDEXED');
    assert.equal(result.status, 'error');
    assert.match(result.code ?? '', /^SQLITE_CORRUPT/);
    assert.match(result.message ?? '', /damaged.*recover/s);
    assert.deepEqual((await bench.query(db, 'SELECT x FROM small')).rows, [[1]]);
    assert.deepEqual(contentOf(bench.data), before);
  });

  it('says that a schema does not parse, with the name of what does not', async () => {
    const db = bench.database('schema.sqlite', ROWS);
    const database = new DatabaseSync(db, { defensive: false });
    database.exec(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a b c (' WHERE name = 't'",
    );
    database.close();
    const error = await fails(db, 'db_schema');
    assert.match(error.message, /malformed database schema \(t\)/);
    assert.match((await fails(db, 'db_schema', 'SELECT x FROM small')).message, /\(t\)/);
  });

  it('reads a database whose view does not compile', async () => {
    const db = bench.database('view.sqlite', `${ROWS}; CREATE VIEW broken AS SELECT nope FROM t`);
    assert.deepEqual((await bench.query(db, 'SELECT x FROM small')).rows, [[1]]);
    const result = await bench.query(db, 'SELECT * FROM broken');
    assert.deepEqual([result.status, result.code], ['error', 'SQLITE_ERROR']);
  });

  it('reads databases with unusual names, and through a link', async () => {
    const names = [
      'with space.sqlite',
      'q?mode=rwc#x%41.sqlite',
      'quote\'".sqlite',
      'ünïcödé 日本.sqlite',
      '%20.sqlite',
      '-wal',
      'a&b=c;d.db',
    ];
    for (const name of process.platform === 'win32' ? names.filter((one) => !/[?"]/.test(one)) : names)
      assert.deepEqual((await bench.query(bench.database(name, ROWS), 'SELECT x FROM small')).rows, [[1]], name);
    const link = join(bench.data, 'link.sqlite');
    symlinkSync(join(bench.data, 'with space.sqlite'), link);
    assert.deepEqual((await bench.query(link, 'SELECT x FROM small')).rows, [[1]]);
  });

  it('shows the rows in the WAL of a database that is opened through a link', async () => {
    const db = bench.database('linked.sqlite', `PRAGMA journal_mode = WAL; ${ROWS}`);
    const writer = new DatabaseSync(db);
    writer.exec('INSERT INTO small VALUES (2)');
    const link = join(bench.data, 'link-to-wal.sqlite');
    symlinkSync(db, link);
    const before = filesBelow(bench.data);
    assert.deepEqual((await bench.query(link, 'SELECT count(*) FROM small')).rows, [[2]]);
    assert.deepEqual(filesBelow(bench.data), before);
    writer.close();
    assert.deepEqual((await bench.query(link, 'SELECT count(*) FROM small')).rows, [[2]]);
    assert.deepEqual(
      filesBelow(bench.data).filter((name) => /-(wal|shm)$/.test(name) && name !== '-wal'),
      [],
    );
  });

  it('does not wait for the writer of a pipe that stands for the WAL, its index or the journal', async function () {
    if (process.platform === 'win32') this.skip();
    for (const ending of ['-wal', '-journal']) {
      const db = bench.database(`pipe${ending}.sqlite`, ROWS);
      execFileSync('mkfifo', [db + ending]);
      await assert.rejects(bench.query(db, 'SELECT x FROM small'), { code: 'db_companion' });
    }
    const db = bench.database('pipe-both.sqlite', `PRAGMA journal_mode=WAL; ${ROWS}`);
    writeFileSync(`${db}-wal`, 'x');
    execFileSync('mkfifo', [`${db}-shm`]);
    await assert.rejects(bench.query(db, 'SELECT x FROM small'), { code: 'db_companion' });
  });

  it('does not follow a link beside a database that stands for its WAL or journal', async function () {
    if (process.platform === 'win32') this.skip();
    const secret = bench.database('other.sqlite', ROWS);
    for (const ending of ['-wal', '-shm']) {
      const db = bench.database(`linked${ending}.sqlite`, `PRAGMA journal_mode = WAL; ${ROWS}`);
      symlinkSync(secret, db + ending);
      if (ending === '-shm') writeFileSync(`${db}-wal`, '');
      const before = contentOf(bench.data);
      await assert.rejects(bench.query(db, 'SELECT x FROM small'), { code: 'db_companion' });
      assert.deepEqual(contentOf(bench.data), before);
    }
    const folder = bench.database('folder-wal.sqlite', ROWS);
    mkdirSync(`${folder}-wal`);
    await assert.rejects(bench.query(folder, 'SELECT x FROM small'), { code: 'db_companion' });
  });

  it('reads databases in UTF-16, of all page sizes and with auto-vacuum', async () => {
    const settings = [
      "encoding = 'UTF-16le'",
      "encoding = 'UTF-16be'",
      'page_size = 512',
      'page_size = 65536',
      'auto_vacuum = FULL',
    ];
    for (const [index, setting] of settings.entries()) {
      const db = bench.database(
        `setting-${index}.sqlite`,
        `PRAGMA ${setting}; ${ROWS}; INSERT INTO small VALUES ('é日')`,
      );
      assert.deepEqual((await bench.query(db, 'SELECT x FROM small')).rows, [[1], ['é日']], setting);
    }
  });
});
