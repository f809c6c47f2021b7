import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseSession } from '../../../../src/host/database/session.ts';
import { type DatabaseDown, DatabaseDown as Down } from '../../../../src/protocol/database-view.ts';
import { CatalogCache } from '../../../../src/runtime/catalog.ts';
import { SandboxPool } from '../../../../src/runtime/sandbox/pool.ts';

const SCHEMA = `
CREATE TABLE log (id INTEGER PRIMARY KEY, message TEXT, big INTEGER, photo BLOB);
INSERT INTO log WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
  SELECT i, 'message ' || i, 9007199254740993, x'cafe' FROM n;
CREATE TABLE hashed (id INTEGER PRIMARY KEY, x);
INSERT INTO hashed WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
  SELECT i * 30000000000000000, i FROM n;
CREATE TABLE "odd ""name""" ("a b" TEXT, "select" TEXT);
INSERT INTO "odd ""name""" VALUES (printf('%.*c', 9000, 'x'), NULL);
CREATE TABLE empty (a, b);
CREATE VIEW recent AS SELECT id, message FROM log WHERE id > 900;
CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0;
`;

describe('the rows of the database editor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'database-session-'));
  const db = join(folder, 'test.sqlite');
  const sandbox = new SandboxPool({ children: 1, spares: 1, tempFolder: folder });
  let posted: DatabaseDown[] = [];
  let timeoutMs = 10_000;
  const session = new DatabaseSession({
    db,
    sandbox: async () => sandbox,
    timeoutMs: () => timeoutMs,
    // Parsed as the view parses it.
    post: (message) => posted.push(Down.parse(message)),
  });

  before(async () => {
    const database = new DatabaseSync(db);
    database.exec(SCHEMA);
    database.close();
    session.setCatalog(await new CatalogCache().read(sandbox, db));
  });
  after(async () => {
    await sandbox.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    posted = [];
    timeoutMs = 10_000;
  });

  async function page(table: string, offset = 0, limit = 200): Promise<Extract<DatabaseDown, { type: 'page' }>> {
    await session.answer({ type: 'page', request: 1, table, offset, limit });
    const message = posted.at(-1);
    assert.ok(message?.type === 'page', JSON.stringify(message));
    return message;
  }

  it('gives a page with declared types, exact integers and blobs', async () => {
    const { columns, page: first, request } = await page('log');
    assert.equal(request, 1);
    assert.deepEqual(columns, [
      { name: 'id', declared: 'INTEGER' },
      { name: 'message', declared: 'TEXT' },
      { name: 'big', declared: 'INTEGER' },
      { name: 'photo', declared: 'BLOB' },
    ]);
    assert.equal(first.rows.length, 200);
    assert.equal(first.more, true);
    assert.deepEqual(first.rows[0], [1, 'message 1', { int: '9007199254740993' }, { hex: 'cafe', bytes: 2 }]);
  });

  it('knows that the last page is the last', async () => {
    const { page: last } = await page('log', 800);
    assert.equal(last.rows.length, 200);
    assert.equal(last.more, false);
    assert.equal((await page('log', 1000)).page.rows.length, 0);
  });

  it('estimates the row count of a table whose rows SQLite numbered, without counting', async () => {
    assert.deepEqual((await page('log')).about, { rows: 1000, exact: false });
  });

  it('gives no estimate where row numbers are no count, nor for a view', async () => {
    assert.equal((await page('hashed')).about, null);
    assert.equal((await page('recent', 0, 50)).about, null);
  });

  it('takes the row count of ANALYZE where somebody ran it', async () => {
    const database = new DatabaseSync(db);
    database.exec('ANALYZE hashed');
    database.close();
    assert.deepEqual((await page('hashed')).about, { rows: 300, exact: false });
  });

  it('gives the columns of an empty table, and of a view the types of what it shows', async () => {
    const { columns, page: first } = await page('empty');
    assert.deepEqual(
      columns.map(({ name }) => name),
      ['a', 'b'],
    );
    assert.deepEqual(first, { offset: 0, rows: [], more: false });
    assert.deepEqual((await page('recent')).columns[1], { name: 'message', declared: 'TEXT' });
  });

  it('cuts long cells in a page and gives them whole when asked', async () => {
    const { page: first } = await page('odd "name"');
    assert.deepEqual(first, { offset: 0, rows: [[{ text: 'x'.repeat(4096), chars: 9000 }, null]], more: false });
    await session.answer({ type: 'cell', request: 2, table: 'odd "name"', column: 'a b', row: 0 });
    assert.deepEqual(posted.at(-1), { type: 'cell', request: 2, cell: 'x'.repeat(9000) });
    await session.answer({ type: 'cell', request: 3, table: 'odd "name"', column: 'select', row: 0 });
    assert.deepEqual(posted.at(-1), { type: 'cell', request: 3, cell: null });
  });

  it('counts exactly', async () => {
    await session.answer({ type: 'count', request: 4, table: 'recent' });
    assert.deepEqual(posted.at(-1), { type: 'count', request: 4, count: { rows: 100, exact: true } });
  });

  it('says why a table cannot be read', async () => {
    await session.answer({ type: 'page', request: 5, table: 'gone', offset: 0, limit: 10 });
    const message = posted.at(-1);
    assert.ok(message?.type === 'failed' && message.request === 5);
    assert.equal(message.error.code, 'rows_failed');
    assert.match(message.error.message, /"gone" cannot be read: no such table: gone/);
  });

  it('says that it took too long, and how to wait longer', async () => {
    timeoutMs = 200;
    await session.answer({ type: 'page', request: 6, table: 'endless', offset: 0, limit: 10 });
    const message = posted.at(-1);
    assert.ok(message?.type === 'failed');
    assert.equal(message.error.code, 'rows_timeout');
    assert.match(message.error.message, /sqlAgent\.query\.timeoutSeconds/);
  });

  it('stops counting when nobody wants the count any more', async () => {
    const counting = session.answer({ type: 'count', request: 7, table: 'endless' });
    await session.answer({ type: 'cancel', request: 7 });
    await counting;
    const message = posted.at(-1);
    assert.ok(message?.type === 'failed' && message.request === 7);
    assert.equal(message.error.code, 'cancelled');
  });

  it('stops what runs for a schema that was read again', async () => {
    const counting = session.answer({ type: 'count', request: 8, table: 'endless' });
    session.stop();
    await counting;
    assert.equal(posted.at(-1)?.type, 'failed');
  });
});
