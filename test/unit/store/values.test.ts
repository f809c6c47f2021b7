import assert from 'node:assert/strict';
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CancelSignal, Sandbox } from '../../../src/core/ports.ts';
import type { ColumnValues, ValueScan } from '../../../src/protocol/catalog.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import type { QueryRequest } from '../../../src/protocol/query.ts';
import { readCatalog } from '../../../src/runtime/catalog.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { openStore, type Store } from '../../../src/runtime/store/store.ts';
import { scanValues } from '../../../src/runtime/store/values.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

/** A table that counts as large, with a column of few values and one of too many, and a small one. */
const LARGE = `CREATE TABLE large (id INTEGER PRIMARY KEY, few TEXT, many TEXT);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
  INSERT INTO large SELECT i, 'kind ' || (i % 3), 'name ' || i FROM n;
  CREATE TABLE small (label TEXT); INSERT INTO small VALUES ('red'), ('red'), ('green')`;

describe('the scan of cell values', () => {
  let folder: TemporaryFolder;
  let store: Store;
  let queries: string[] = [];
  const pool = new SandboxPool();
  const counting: Sandbox = {
    query: (request: QueryRequest, signal?: CancelSignal) => {
      queries.push(request.sql);
      return pool.query(request, signal);
    },
  };
  beforeEach(() => {
    folder = temporaryFolder();
    store = openStore(join(folder.path, 'storage'));
    queries = [];
  });
  afterEach(() => {
    store.close();
    folder.remove();
  });
  after(() => pool.dispose());

  async function scan(db: string, budgetMs: number | null = null, kept: Store | null = store): Promise<ValueScan> {
    const catalog = await readCatalog(pool, db);
    queries = [];
    return scanValues({ sandbox: counting, store: kept, db, catalog, budgetMs });
  }

  function valuesOf({ columns }: ValueScan, name: string): ColumnValues | undefined {
    return columns.find(({ table, column }) => `${table}.${column}` === name);
  }

  /** A database with the same values in the same file, as if a new process opened its store. */
  function reopen(): void {
    store.close();
    store = openStore(join(folder.path, 'storage'));
  }

  it('takes distinct text values of columns of the right kinds, without blanks, numbers and blobs', async () => {
    const db = folder.database(
      'kinds.sqlite',
      `CREATE TABLE t (a TEXT, n NUMERIC, i INTEGER, r REAL, b BLOB, d DATE);
       INSERT INTO t VALUES ('x', 'y', 'z', 'w', 'v', '2020-01-01'), ('x', 5, 1, 1.5, 'v', NULL), (' ', NULL, 1, 1, x'00', ''), (x'41', 7, 1, 1, 1, 'u')`,
    );
    const { columns, skipped } = await scan(db);
    assert.deepEqual(columns, [
      { table: 't', column: 'a', values: ['x'], nonNull: 4 },
      { table: 't', column: 'n', values: ['y'], nonNull: 3 },
      { table: 't', column: 'd', values: ['2020-01-01', 'u'], nonNull: 3 },
    ]);
    assert.deepEqual(skipped, []);
  });

  it('passes over views, shadow tables and hidden columns, and takes generated and full-text columns', async () => {
    const db = folder.database(
      'virtual.sqlite',
      `CREATE TABLE t (a TEXT, g TEXT AS ('g' || a)); INSERT INTO t (a) VALUES ('x'); CREATE VIEW v AS SELECT a FROM t;
       CREATE VIRTUAL TABLE note USING fts5(body); INSERT INTO note VALUES ('hello'); CREATE VIRTUAL TABLE area USING rtree(id, x0, x1, +label TEXT);
       INSERT INTO area VALUES (1, 0, 1, 'here')`,
    );
    const { columns } = await scan(db);
    assert.deepEqual(
      columns.map(({ table, column, values }) => [table, column, values]),
      [
        ['t', 'a', ['x']],
        ['t', 'g', ['gx']],
        ['note', 'body', ['hello']],
        ['area', 'label', ['here']],
      ],
    );
  });

  it('gives up on a column with more than 5,000 values, and counts long values without keeping them', async () => {
    const db = folder.database(
      'many.sqlite',
      `CREATE TABLE t (five TEXT, more TEXT, long TEXT);
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5001)
       INSERT INTO t SELECT 'v' || min(i, 5000), 'v' || i, NULL FROM n;
       UPDATE t SET long = printf('%.60c', 'x') WHERE rowid = 1; UPDATE t SET long = printf('%.61c', 'y') WHERE rowid = 2;
       UPDATE t SET long = printf('%.300000c', 'z') WHERE rowid = 3; UPDATE t SET long = printf('%.300c', ' ') WHERE rowid = 4;
       UPDATE t SET long = replace(printf('%.60c', 'a'), 'a', char(128512)) WHERE rowid = 5`,
    );
    const found = await scan(db);
    assert.equal(valuesOf(found, 't.five')?.values?.length, 5000);
    assert.equal(valuesOf(found, 't.more')?.values, null);
    assert.deepEqual(valuesOf(found, 't.long'), {
      table: 't',
      column: 'long',
      values: ['x'.repeat(60), '😀'.repeat(60)],
      longer: 2,
      nonNull: null,
    });
  });

  it('shows values that are only in the write-ahead log', async () => {
    const db = join(folder.path, 'wal.sqlite');
    const writer = new DatabaseSync(db);
    writer.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('logged')");
    assert.deepEqual(valuesOf(await scan(db), 't.a')?.values, ['logged']);
    writer.close();
  });

  it('asks nothing again while the file stays as it is, in this process and in the next', async () => {
    const db = folder.database('kept.sqlite', "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x'), ('x')");
    const first = await scan(db);
    assert.ok(queries.length > 0);
    assert.equal(await scan(db), first);
    assert.deepEqual(queries, []);
    reopen();
    const next = await scan(db);
    assert.deepEqual(queries, []);
    assert.deepEqual(next.columns, first.columns);
  });

  it('scans again when the file changes in time alone, in size, or in its write-ahead log', async () => {
    const db = folder.database('changing.sqlite', "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('one')");
    assert.deepEqual(valuesOf(await scan(db), 't.a')?.values, ['one']);
    const { size } = statSync(db);
    const writer = new DatabaseSync(db);
    writer.exec("UPDATE t SET a = 'two'");
    assert.equal(statSync(db).size, size);
    utimesSync(db, new Date(), new Date(Date.now() + 5000));
    assert.deepEqual(valuesOf(await scan(db), 't.a')?.values, ['two']);
    writer.exec("PRAGMA journal_mode = WAL; UPDATE t SET a = 'three'");
    assert.deepEqual(valuesOf(await scan(db), 't.a')?.values, ['three']);
    writer.exec("UPDATE t SET a = 'four'");
    assert.deepEqual(valuesOf(await scan(db), 't.a')?.values, ['four']);
    writer.close();
  });

  it('names what it had no time for, and gives what it had', async () => {
    const db = folder.database('large.sqlite', LARGE);
    const none = await scan(db, 0);
    assert.deepEqual(none.columns, []);
    assert.deepEqual(none.skipped, ['large.few', 'large.many', 'small.label']);
    assert.deepEqual(
      queries.filter((sql) => sql.includes('DISTINCT')),
      [],
    );
  });

  it('takes small tables first, and looks at the beginning of large columns before it reads them whole', async () => {
    const db = folder.database('large.sqlite', LARGE);
    const found = await scan(db, 600_000);
    assert.deepEqual(found.skipped, []);
    assert.deepEqual(valuesOf(found, 'large.few')?.values, ['kind 1', 'kind 2', 'kind 0']);
    assert.equal(valuesOf(found, 'large.many')?.values, null);
    assert.deepEqual(valuesOf(found, 'small.label'), {
      table: 'small',
      column: 'label',
      values: ['red', 'green'],
      nonNull: 3,
    });
    const first = (part: string) => queries.findIndex((sql) => sql.includes('DISTINCT') && sql.includes(part));
    assert.ok(first('"label"') < first('"few"'));
    const whole = queries.filter((sql) => sql.includes('DISTINCT "many"'));
    assert.deepEqual(whole, []);
  });

  it('gives the same with a time budget as without', async () => {
    const db = folder.database('large.sqlite', LARGE);
    assert.deepEqual((await scan(db, 600_000, null)).columns, (await scan(db, null, null)).columns);
  });

  it('remembers what it gave up, and tries again only when it is offered more time', async () => {
    const db = folder.database('large.sqlite', LARGE);
    const { skipped } = await scan(db, 0);
    assert.equal(skipped.length, 3);
    reopen();
    assert.equal((await scan(db, 0)).skipped.length, 3);
    assert.deepEqual(queries, []);
    const whole = await scan(db, null);
    assert.deepEqual(whole.skipped, []);
    assert.equal(whole.columns.length, 3);
    reopen();
    assert.deepEqual((await scan(db, 0)).columns, whole.columns);
    assert.deepEqual(queries, []);
  });

  it('keeps a column that cannot be read as one without values', async () => {
    const db = folder.database(
      'elsewhere.sqlite',
      `CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x'); CREATE TABLE source (body TEXT);
       CREATE VIRTUAL TABLE note USING fts5(body, content='source'); DROP TABLE source`,
    );
    const { columns, skipped } = await scan(db);
    assert.deepEqual(
      columns.map(({ column, values }) => [column, values]),
      [
        ['a', ['x']],
        ['body', []],
      ],
    );
    assert.deepEqual(skipped, []);
  });

  it('keeps nothing of a file that changes while it is scanned', async () => {
    const db = folder.database('meanwhile.sqlite', "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('one')");
    const catalog = await readCatalog(pool, db);
    const writing: Sandbox = {
      query: async (request, signal) => {
        const result = await pool.query(request, signal);
        const writer = new DatabaseSync(db);
        writer.exec("INSERT INTO t VALUES ('two')");
        writer.close();
        return result;
      },
    };
    await scanValues({ sandbox: writing, store, db, catalog, budgetMs: null });
    assert.deepEqual(valuesOf(await scan(db), 't.a')?.values, ['one', 'two']);
  });

  it('ends when it is cancelled, and says so', async () => {
    const db = folder.database('large.sqlite', LARGE);
    const catalog = await readCatalog(pool, db);
    const isCancelled = (error: unknown) => error instanceof AppError && error.code === 'cancelled';
    const options = { sandbox: pool, store, db, catalog, budgetMs: null };
    await assert.rejects(scanValues(options, AbortSignal.abort()), isCancelled);
    const controller = new AbortController();
    const scanning = scanValues(options, controller.signal);
    controller.abort();
    await assert.rejects(scanning, isCancelled);
    assert.deepEqual((await scanValues(options)).skipped, []);
  });

  it('says what is wrong with the file', async () => {
    const db = folder.database('gone.sqlite', 'CREATE TABLE t (a TEXT)');
    const catalog = await readCatalog(pool, db);
    const options = { sandbox: pool, store, db: `${db}.moved`, catalog, budgetMs: null };
    await assert.rejects(scanValues(options), (error) => error instanceof AppError && error.code === 'db_missing');
  });
});
