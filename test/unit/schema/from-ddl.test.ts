import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogFromDdl } from '../../../src/core/schema/from-ddl.ts';
import type { Table } from '../../../src/protocol/catalog.ts';
import { readCatalog } from '../../../src/runtime/catalog.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { needShared } from '../../support/shared.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const ODD = `-- a dump
PRAGMA foreign_keys = off;
BEGIN;
CREATE TABLE IF NOT EXISTS "order details" (
  id integer primary key autoincrement, -- the key
  "unit price" DECIMAL(10, 2) NOT NULL DEFAULT (1 + 2), /* in euro */
  größe double precision, [a b] TEXT DEFAULT 'it''s; so', \`when\` TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  total REAL GENERATED ALWAYS AS (größe * 2) STORED, half AS (größe / 2), minus INT DEFAULT -1,
  item INT REFERENCES item, other INT CONSTRAINT x REFERENCES nowhere (id) ON DELETE SET NULL,
  UNIQUE (größe, "unit price"), FOREIGN KEY (item, other) REFERENCES pair
);
CREATE TABLE item (code TEXT PRIMARY KEY, kind VARCHAR(20) UNIQUE) WITHOUT ROWID;
CREATE TABLE pair (a INT, b INT, c ANY, PRIMARY KEY (b, a), UNIQUE (b, a)) STRICT;
CREATE TABLE descending (id INTEGER PRIMARY KEY DESC, x UNIQUE); CREATE TABLE apart (id INTEGER, PRIMARY KEY (id));
CREATE TABLE collated ("id" INTEGER, v TEXT COLLATE NOCASE, PRIMARY KEY (v COLLATE NOCASE, "id"));
CREATE UNIQUE INDEX by_kind ON item (kind, code DESC) WHERE kind > 'a';
CREATE INDEX by_lower ON item (lower(kind));
CREATE VIEW cheap AS SELECT d.id, d."unit price" AS price, count(*) FROM "order details" d JOIN item i ON i.code = d.item;
CREATE VIEW every (one, two) AS SELECT code, kind FROM item;
CREATE VIEW stars AS SELECT *, i.* FROM item i;
CREATE VIEW nested AS WITH w(z) AS (SELECT kind FROM item) SELECT z FROM w UNION SELECT code FROM item;
CREATE VIEW fixed AS VALUES (1, 2);
CREATE TRIGGER t AFTER INSERT ON item BEGIN SELECT 1; UPDATE item SET kind = 'x;y'; END;
INSERT INTO item VALUES ('a', 'b;c');
COMMIT;`;

describe('a catalog from CREATE statements', () => {
  const folder = temporaryFolder();
  const pool = new SandboxPool({ children: 1, spares: 0 });
  after(async () => {
    await pool.dispose();
    folder.remove();
  });

  const asSqliteReadsIt = async (name: string, ddl: string): Promise<void> => {
    const { tables } = await readCatalog(pool, folder.database(`${name}.sqlite`, ddl));
    assert.deepEqual(catalogFromDdl(ddl).tables, tables, name);
  };

  it('is the one that SQLite gives for the same statements: columns, keys, indexes, views', async () => {
    await asSqliteReadsIt('odd', ODD);
  });

  it('is the one that SQLite gives for every schema of BIRD train', async function () {
    this.timeout(60_000);
    const schemas = needShared(this, 'data/bird/train_schemas');
    for (const file of readdirSync(schemas)) {
      const ddl = readFileSync(join(schemas, file), 'utf8');
      await asSqliteReadsIt(file, ddl.replace(/CREATE TABLE sqlite_sequence[^;]*;/, ''));
    }
  });

  const named = (tables: Table[]) => tables.map(({ name }) => name);

  it('leaves out what does not parse and says where, and reads on behind it', () => {
    const { tables, problems } = catalogFromDdl(
      "CREATE TABLE a (x);\n\nCREATE TABEL b (y, ';');\nCREATE TABLE c (z)\n; SELEC 1;\nCREATE TABLE d (",
    );
    assert.deepEqual(named(tables), ['a', 'c']);
    assert.deepEqual(problems, [
      'Line 3: not a statement of SQLite, left out: near "TABEL": syntax error.',
      'Line 5: not a statement of SQLite, left out: near "SELEC": syntax error.',
      'Line 6: not a statement of SQLite, left out: incomplete input.',
    ]);
  });

  it('leaves out tables of SQLite itself and says so', () => {
    const { tables, problems } = catalogFromDdl('CREATE TABLE sqlite_sequence(name,seq); CREATE TABLE t (x)');
    assert.deepEqual(named(tables), ['t']);
    assert.deepEqual(problems, ['Line 1: "sqlite_sequence" is a name reserved for SQLite; left out.']);
  });

  it('keeps the first of two tables of one name, silently only where the second says IF NOT EXISTS', () => {
    const { tables, problems } = catalogFromDdl(
      'CREATE TABLE t (x); CREATE TABLE IF NOT EXISTS T (y); CREATE TABLE T (z)',
    );
    assert.deepEqual(named(tables), ['t']);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /"T" exists already/);
  });

  it('names foreign keys that point nowhere and changes that it does not apply', () => {
    const { problems } = catalogFromDdl('CREATE TABLE t (x REFERENCES gone (id)); ALTER TABLE t ADD y');
    assert.equal(problems.length, 2);
    assert.match(problems[0] ?? '', /ALTER TABLE "t" is not applied/);
    assert.match(problems[1] ?? '', /t\(x\).*there is no table "gone"/);
  });

  it('says which table a view needs and is not there', () => {
    const { tables, problems } = catalogFromDdl('CREATE VIEW v AS SELECT * FROM gone');
    assert.equal(tables[0]?.problem, 'its columns are unknown: there is no table "gone" before it.');
    assert.equal(problems.length, 1);
  });

  it('tells virtual tables with their columns, and the shadow tables of a dump', () => {
    const { tables } = catalogFromDdl(
      `CREATE VIRTUAL TABLE note USING fts5(title, "full body" UNINDEXED, content='', tokenize = porter);
       CREATE TABLE IF NOT EXISTS 'note_data'(id INTEGER PRIMARY KEY, block BLOB);
       CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, +label TEXT); CREATE TABLE my_data (x)`,
    );
    assert.deepEqual(
      tables.map(({ name, type, columns }) => [name, type, columns.map((column) => column.name).join()]),
      [
        ['note', 'virtual', 'title,full body'],
        ['note_data', 'shadow', 'id,block'],
        ['box', 'virtual', 'id,x0,x1,label'],
        ['my_data', 'table', 'x'],
      ],
    );
  });

  it('has no tables where there is no statement', () => {
    assert.deepEqual(catalogFromDdl('').tables, []);
    assert.deepEqual(catalogFromDdl(' ;; -- nothing\n').tables, []);
  });
});
