import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Sandbox } from '../../../src/core/ports.ts';
import type { Catalog, Table } from '../../../src/protocol/catalog.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { countRows, readCatalog } from '../../../src/runtime/catalog.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { temporaryFolder } from '../../support/temporary.ts';

function tableOf(catalog: Catalog, name: string): Table {
  const found = catalog.tables.find((table) => table.name === name);
  assert.ok(found, `no table ${name}`);
  return found;
}

function columnNames(table: Table): string[] {
  return table.columns.map(({ name }) => name);
}

describe('the catalog of a database', () => {
  const folder = temporaryFolder();
  const pool = new SandboxPool();
  after(async () => {
    await pool.dispose();
    folder.remove();
  });

  const read = (name: string, sql: string) => readCatalog(pool, folder.database(name, sql));

  it('lists tables and views in the order in which they were created, without those of SQLite', async () => {
    const catalog = await read(
      'order.sqlite',
      `CREATE TABLE z (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE VIEW m AS SELECT id FROM z;
       CREATE TABLE a (x TEXT UNIQUE); CREATE TABLE sqliteful (y); ANALYZE; INSERT INTO z VALUES (1)`,
    );
    assert.deepEqual(
      catalog.tables.map(({ name, type }) => [name, type]),
      [
        ['z', 'table'],
        ['m', 'view'],
        ['a', 'table'],
        ['sqliteful', 'table'],
      ],
    );
    assert.deepEqual(catalog.problems, []);
  });

  it('tells type, null, default, primary key and generation of each column', async () => {
    const catalog = await read(
      'columns.sqlite',
      `CREATE TABLE t (b TEXT NOT NULL DEFAULT 'it''s', a INT, c AS (a + 1), d TEXT GENERATED ALWAYS AS (b || a) STORED,
       PRIMARY KEY (a, b)) WITHOUT ROWID; CREATE TABLE s (x ANY, y INTEGER PRIMARY KEY) STRICT`,
    );
    const { columns, withoutRowid, strict, sql } = tableOf(catalog, 't');
    assert.deepEqual(
      columns.map(({ name, declared, kind, notNull, defaultSql, primaryKey, generated }) => [
        name,
        declared,
        kind,
        notNull,
        defaultSql,
        primaryKey,
        generated,
      ]),
      [
        ['b', 'TEXT', 'text', true, "'it''s'", 2, null],
        ['a', 'INT', 'integer', true, null, 1, null],
        ['c', '', 'numeric', false, null, 0, 'virtual'],
        ['d', 'TEXT', 'text', false, null, 0, 'stored'],
      ],
    );
    assert.deepEqual([withoutRowid, strict], [true, false]);
    assert.match(sql ?? '', /^CREATE TABLE t \(b TEXT/);
    assert.equal(tableOf(catalog, 's').strict, true);
    assert.equal(tableOf(catalog, 's').withoutRowid, false);
  });

  it('lists indexes: unique, partial, on expressions, and those of keys', async () => {
    const catalog = await read(
      'indexes.sqlite',
      `CREATE TABLE t (a TEXT PRIMARY KEY, b INT UNIQUE, c TEXT);
       CREATE INDEX plain ON t (c, a DESC);
       CREATE UNIQUE INDEX part ON t (b) WHERE b > 0;
       CREATE INDEX expr ON t (lower(c), b)`,
    );
    assert.deepEqual(
      tableOf(catalog, 't')
        .indexes.map(({ name, unique, origin, partial, columns }) => [name, unique, origin, partial, columns])
        .sort(),
      [
        ['expr', false, 'c', false, [null, 'b']],
        ['part', true, 'c', true, ['b']],
        ['plain', false, 'c', false, ['c', 'a']],
        ['sqlite_autoindex_t_1', true, 'pk', false, ['a']],
        ['sqlite_autoindex_t_2', true, 'u', false, ['b']],
      ],
    );
  });

  it('reads full-text and R-tree tables with their hidden columns and names their shadow tables', async () => {
    const catalog = await read(
      'virtual.sqlite',
      `CREATE VIRTUAL TABLE note USING fts5(title, body); CREATE VIRTUAL TABLE old USING fts4(text);
       CREATE VIRTUAL TABLE area USING rtree(id, x0, x1, +label TEXT); CREATE TABLE note_extra (id INTEGER);
       INSERT INTO note VALUES ('a', 'b'); INSERT INTO area VALUES (1, 0, 1, 'c')`,
    );
    const note = tableOf(catalog, 'note');
    assert.deepEqual([note.type, note.problem], ['virtual', null]);
    assert.deepEqual(
      note.columns.map(({ name, hidden }) => [name, hidden]),
      [
        ['title', false],
        ['body', false],
        ['note', true],
        ['rank', true],
      ],
    );
    assert.deepEqual(columnNames(tableOf(catalog, 'area')), ['id', 'x0', 'x1', 'label']);
    assert.equal(tableOf(catalog, 'old').type, 'virtual');
    assert.equal(tableOf(catalog, 'note_extra').type, 'table');
    for (const name of [
      'note_data',
      'note_idx',
      'note_content',
      'note_docsize',
      'note_config',
      'area_node',
      'old_segments',
    ])
      assert.equal(tableOf(catalog, name).type, 'shadow', name);
    assert.deepEqual(catalog.problems, []);
  });

  it('names a view that no longer compiles and a virtual table without its module, and reads all else', async () => {
    const path = folder.database(
      'broken.sqlite',
      `CREATE TABLE t (a TEXT); CREATE TABLE gone (b TEXT); CREATE VIEW lost AS SELECT b FROM gone;
       CREATE VIEW fine AS SELECT a AS letter FROM t; CREATE VIEW onlost AS SELECT * FROM lost;
       CREATE VIRTUAL TABLE note USING fts5(body); DROP TABLE gone`,
    );
    const database = new DatabaseSync(path, { defensive: false });
    // Nobody can create a table of a module that is not there, but a file can come from where it is.
    database.exec(`PRAGMA writable_schema = ON; INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
      VALUES ('table', 'alien', 'alien', 0, 'CREATE VIRTUAL TABLE alien USING spatialite(x)')`);
    database.close();
    const catalog = await readCatalog(pool, path);
    assert.deepEqual(columnNames(tableOf(catalog, 'fine')), ['letter']);
    assert.deepEqual(columnNames(tableOf(catalog, 't')), ['a']);
    assert.deepEqual(columnNames(tableOf(catalog, 'note')), ['body', 'note', 'rank']);
    assert.match(tableOf(catalog, 'lost').problem ?? '', /no such table: main\.gone/);
    assert.match(tableOf(catalog, 'onlost').problem ?? '', /no such table: main\.gone/);
    assert.match(tableOf(catalog, 'alien').problem ?? '', /no such module: spatialite/);
    assert.equal(tableOf(catalog, 'alien').type, 'virtual');
    assert.equal(catalog.problems.length, 3);
    assert.match(catalog.problems[0] ?? '', /^View lost cannot be read: no such table: main\.gone\.$/);
  });

  it('takes views with double-quoted texts, which SQLite itself still reads', async () => {
    const path = folder.database('quoted.sqlite', 'CREATE TABLE t (a TEXT)');
    const database = new DatabaseSync(path, { enableDoubleQuotedStringLiterals: true });
    database.exec('CREATE VIEW v AS SELECT a FROM t WHERE a = "text"');
    database.close();
    const catalog = await readCatalog(pool, path);
    assert.equal(tableOf(catalog, 'v').problem, null);
  });

  it('takes names with spaces, quotes, keywords and letters of any script', async () => {
    const names = ['two words', `say "hi"`, "it's", 'order', 'Straße', '日本', '[x]', 'a;b', '%', 'ключ'];
    const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
    const sql = names.map((name) => `CREATE TABLE ${quoted(name)} (${names.map(quoted).join(', ')})`).join(';');
    const catalog = await read('names.sqlite', sql);
    assert.deepEqual(
      catalog.tables.map(({ name }) => name),
      names,
    );
    for (const table of catalog.tables) assert.deepEqual(columnNames(table), names);
    const path = join(folder.path, 'names.sqlite');
    for (const name of names) assert.equal(await countRows(pool, path, name), 0, name);
  });

  it('shows tables that are only in the write-ahead log', async () => {
    const path = join(folder.path, 'wal.sqlite');
    const writer = new DatabaseSync(path);
    writer.exec(
      'PRAGMA journal_mode = WAL; CREATE TABLE first (a); PRAGMA wal_checkpoint(TRUNCATE); CREATE TABLE second (b)',
    );
    const catalog = await readCatalog(pool, path);
    assert.deepEqual(
      catalog.tables.map(({ name }) => name),
      ['first', 'second'],
    );
    writer.close();
  });

  it('is of one moment, though another process changes the schema while it is read', async () => {
    const path = folder.database('moving.sqlite', 'CREATE TABLE a (x INT); CREATE VIEW v AS SELECT x FROM a');
    let isChanged = false;
    const moving: Sandbox = {
      query: async (request, signal) => {
        const result = await pool.query(request, signal);
        if (!isChanged && request.sql.includes('s.name, s.sql')) {
          isChanged = true;
          const writer = new DatabaseSync(path);
          writer.exec('DROP VIEW v; DROP TABLE a; CREATE TABLE b (y INT); CREATE TABLE c (z INT)');
          writer.close();
        }
        return result;
      },
    };
    const catalog = await readCatalog(moving, path);
    assert.ok(isChanged);
    assert.deepEqual(
      catalog.tables.map((table) => [table.name, columnNames(table)]),
      [
        ['b', ['y']],
        ['c', ['z']],
      ],
    );
  });

  it('leaves nothing beside the file', async () => {
    const own = temporaryFolder();
    const path = own.database('alone.sqlite', 'PRAGMA journal_mode = WAL; CREATE TABLE t (a)');
    await readCatalog(pool, path);
    assert.deepEqual(readdirSync(own.path), ['alone.sqlite']);
    own.remove();
  });

  it('tells what columns mean by comments, and by description files before comments', async () => {
    const own = temporaryFolder();
    const path = own.database(
      'meaning.sqlite',
      'CREATE TABLE Player (id INTEGER, -- key\n "Full Name" TEXT, -- name\n age INT)',
    );
    mkdirSync(join(own.path, 'database_description'));
    const csv = 'original_column_name,column_name,column_description\nFULL NAME,name,"Nom, prénom"\n';
    writeFileSync(join(own.path, 'database_description/player.csv'), Buffer.from(csv, 'latin1'));
    writeFileSync(join(own.path, 'database_description/readme.txt'), 'not a CSV file');
    const { columns } = tableOf(await readCatalog(pool, path), 'Player');
    assert.deepEqual(
      columns.map(({ meaning }) => meaning),
      ['key', 'Nom, prénom', null],
    );
    own.remove();
  });

  it('reads a database without tables', async () => {
    assert.deepEqual(await read('none.sqlite', 'CREATE TABLE t (a); DROP TABLE t'), { tables: [], problems: [] });
  });

  it('counts the rows of tables and views, and says which table is not there', async () => {
    const path = folder.database(
      'count.sqlite',
      `CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (NULL); CREATE VIEW v AS SELECT a FROM t WHERE a > 1;
       CREATE TABLE gone (b); CREATE VIEW lost AS SELECT b FROM gone; DROP TABLE gone`,
    );
    assert.equal(await countRows(pool, path, 't'), 3);
    assert.equal(await countRows(pool, path, 'V'), 1);
    await assert.rejects(
      countRows(pool, path, 'nothing'),
      (error) => error instanceof AppError && error.code === 'no_such_table',
    );
    await assert.rejects(
      countRows(pool, path, 'lost'),
      (error) => error instanceof AppError && error.code === 'count_failed',
    );
  });

  it('says what is wrong with a file that is no database, and ends at once when it is cancelled', async () => {
    const path = join(folder.path, 'text.sqlite');
    writeFileSync(path, 'just some text\n'.repeat(100));
    await assert.rejects(
      readCatalog(pool, path),
      (error) => error instanceof AppError && error.code === 'db_not_sqlite',
    );
    const good = folder.database('good.sqlite', 'CREATE TABLE t (a)');
    await assert.rejects(
      readCatalog(pool, good, AbortSignal.abort()),
      (error) => error instanceof AppError && error.code === 'cancelled',
    );
    const controller = new AbortController();
    const reading = readCatalog(pool, good, controller.signal);
    controller.abort();
    await assert.rejects(reading, (error) => error instanceof AppError && error.code === 'cancelled');
  });
});
