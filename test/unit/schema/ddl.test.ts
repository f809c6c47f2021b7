import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { renderDdl } from '../../../src/core/schema/ddl.ts';
import { readCatalog } from '../../../src/runtime/catalog.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('DDL of a table', () => {
  const folder = temporaryFolder();
  const pool = new SandboxPool({ children: 1 });
  after(async () => {
    await pool.dispose();
    folder.remove();
  });

  async function ddlOf(name: string, sql: string): Promise<string[]> {
    return (await readCatalog(pool, folder.database(name, sql))).tables.map(renderDdl);
  }

  it('shows columns with their facts and meanings, and keys', async () => {
    const [, visit] = await ddlOf(
      'visit.sqlite',
      `CREATE TABLE doctor (a INT, b INT, PRIMARY KEY (a, b));
       CREATE TABLE visit (id INTEGER PRIMARY KEY, -- running number
         "order" VARCHAR(10) NOT NULL DEFAULT 'x', a INT, b INT, c AS (a + b), FOREIGN KEY (a, b) REFERENCES doctor (a, b))`,
    );
    assert.equal(
      visit,
      `CREATE TABLE visit (
  id INTEGER PRIMARY KEY, -- running number
  "order" VARCHAR(10) NOT NULL DEFAULT 'x',
  a INT,
  b INT,
  c, -- generated (virtual)
  FOREIGN KEY (a, b) REFERENCES doctor (a, b)
);`,
    );
  });

  it('is SQL that makes the same columns and keys again', async () => {
    const sql = `CREATE TABLE "a b" (x TEXT DEFAULT (lower('A')), "returning" INT, PRIMARY KEY (x, "returning")) WITHOUT ROWID;
      CREATE TABLE s (id INTEGER PRIMARY KEY, n ANY NOT NULL) STRICT;
      CREATE TABLE c (x REFERENCES "a b", y INT REFERENCES s (id), z REFERENCES nowhere)`;
    const before = await readCatalog(pool, folder.database('before.sqlite', sql));
    const again = await readCatalog(pool, folder.database('again.sqlite', before.tables.map(renderDdl).join('\n')));
    const facts = ({ tables }: typeof before) =>
      tables.map(({ name, columns, foreignKeys, withoutRowid, strict }) => ({
        name,
        columns,
        foreignKeys,
        withoutRowid,
        strict,
      }));
    assert.deepEqual(facts(again), facts(before));
  });

  it('shows a view and a virtual table as stored, with their columns', async () => {
    const [, view, note] = await ddlOf(
      'stored.sqlite',
      `CREATE TABLE t (a TEXT); CREATE VIEW v AS SELECT a, length(a) AS n FROM t;
       CREATE VIRTUAL TABLE note USING fts5(title, body)`,
    );
    assert.equal(view, 'CREATE VIEW v AS SELECT a, length(a) AS n FROM t;\n-- columns: a TEXT, n');
    assert.equal(note, 'CREATE VIRTUAL TABLE note USING fts5(title, body);\n-- columns: title, body');
  });

  it('says why a table cannot be read', async () => {
    const [lost] = await ddlOf('lost.sqlite', 'CREATE TABLE g (b); CREATE VIEW v AS SELECT b FROM g; DROP TABLE g');
    assert.equal(lost, '-- v cannot be read: no such table: main.g\nCREATE VIEW v AS SELECT b FROM g');
  });

  it('keeps a comment with line feeds on one line', () => {
    const database = new DatabaseSync(':memory:');
    const ddl = renderDdl({
      name: 't',
      type: 'table',
      columns: [
        {
          name: 'a',
          declared: 'TEXT',
          kind: 'text',
          notNull: false,
          defaultSql: null,
          primaryKey: 0,
          generated: null,
          hidden: false,
          meaning: 'one\n); DROP TABLE t; --',
        },
      ],
      foreignKeys: [],
      indexes: [],
      withoutRowid: false,
      strict: false,
      sql: null,
      problem: null,
    });
    database.exec(ddl);
    assert.equal(database.prepare('SELECT count(*) AS n FROM pragma_table_info(?)').get('t')?.['n'], 1);
    database.close();
  });
});
