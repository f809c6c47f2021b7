import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Bench, contentOf, filesBelow } from './support.ts';

const SCHEMA = `
  PRAGMA user_version = 7;
  CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT, b REAL);
  INSERT INTO t(a, b) VALUES ('x', 1), ('y', 2), ('z', 3);
  CREATE TABLE u(id INTEGER PRIMARY KEY, t_id REFERENCES t(id));
  CREATE INDEX t_a ON t(a);
  CREATE VIEW v AS SELECT a FROM t;
  CREATE VIEW evil AS SELECT load_extension('libevil') AS x;
  CREATE VIEW evil_tokenizer AS SELECT fts3_tokenizer('simple') AS x;
  CREATE TRIGGER log AFTER INSERT ON u BEGIN DELETE FROM t; END;
  CREATE VIRTUAL TABLE f USING fts5(body);
  INSERT INTO f VALUES ('some words');
  CREATE VIRTUAL TABLE old USING fts4(body);
  INSERT INTO old VALUES ('other words');
  CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);
  INSERT INTO r VALUES (1, 0, 1);`;

/** Statements by the code of their refusal. `$OTHER` is another database, `$OUT` a file that is not there. */
const REFUSED: Record<string, string[]> = {
  write: [
    "INSERT INTO t(a) VALUES ('q')",
    "INSERT OR REPLACE INTO t(id, a) VALUES (1, 'q')",
    'REPLACE INTO t(id) VALUES (1)',
    'INSERT INTO t DEFAULT VALUES',
    "INSERT INTO t(id, a) VALUES (1, 'q') ON CONFLICT(id) DO UPDATE SET a = 'q'",
    "INSERT INTO t(a) VALUES ('q') RETURNING id",
    'WITH c AS (SELECT 1) INSERT INTO t(a) SELECT * FROM c',
    'INSERT INTO u VALUES (1, 1)',
    "UPDATE t SET a = 'q'",
    "UPDATE t SET a = 'q' RETURNING *",
    "UPDATE OR IGNORE t SET a = 'q' FROM u WHERE u.t_id = t.id",
    'DELETE FROM t',
    'DELETE FROM t WHERE id = 1 RETURNING a',
    'WITH c AS (SELECT 1) DELETE FROM t WHERE id IN c',
    'CREATE TABLE n(a)',
    'CREATE TABLE IF NOT EXISTS n(a)',
    'CREATE TABLE n AS SELECT * FROM t',
    'CREATE INDEX n ON t(b)',
    'CREATE UNIQUE INDEX n ON t(id, b)',
    'CREATE VIEW n AS SELECT 1',
    'CREATE TRIGGER n AFTER DELETE ON t BEGIN SELECT 1; END',
    'CREATE VIRTUAL TABLE n USING fts5(a)',
    "CREATE VIRTUAL TABLE n USING csv(filename = '/etc/passwd')",
    'DROP TABLE t',
    'DROP TABLE IF EXISTS t',
    'DROP INDEX t_a',
    'DROP VIEW v',
    'DROP TRIGGER log',
    'DROP TABLE f',
    'ALTER TABLE t RENAME TO n',
    'ALTER TABLE t RENAME COLUMN a TO n',
    'ALTER TABLE t ADD COLUMN n',
    'ALTER TABLE t DROP COLUMN b',
    'REINDEX',
    'REINDEX t_a',
    'ANALYZE',
    'ANALYZE t',
    'VACUUM',
    'VACUUM main',
    "VACUUM INTO '$OUT'",
    "VACUUM main INTO '$OUT'",
    "INSERT INTO f(f) VALUES ('optimize')",
    "INSERT INTO f(f) VALUES ('rebuild')",
    "INSERT INTO old(old) VALUES ('optimize')",
    'DELETE FROM r',
    "UPDATE sqlite_schema SET sql = ''",
    'DELETE FROM sqlite_schema',
    'DROP TABLE no_such_table',
    'INSERT INTO no_such_table VALUES (1)',
    'DELETE FROM sqlite_sequence',
    "INSERT INTO f_data VALUES (1, x'00')",
    'EXPLAIN DELETE FROM t',
    "EXPLAIN QUERY PLAN UPDATE t SET a = 'q'",
  ],
  temp: [
    'CREATE TEMP TABLE n(a)',
    'CREATE TEMPORARY TABLE n AS SELECT * FROM t',
    'CREATE TABLE temp.n(a)',
    'CREATE TEMP VIEW n AS SELECT 1',
    'CREATE TEMP TRIGGER n AFTER INSERT ON t BEGIN SELECT 1; END',
    'CREATE VIRTUAL TABLE temp.n USING fts5(a)',
    "INSERT INTO temp.sqlite_temp_schema VALUES ('table', 'n', 'n', 1, '')",
  ],
  transaction: [
    'BEGIN',
    'BEGIN IMMEDIATE',
    'BEGIN EXCLUSIVE TRANSACTION',
    'COMMIT',
    'END',
    'ROLLBACK',
    'SAVEPOINT n',
    'RELEASE n',
    'ROLLBACK TO n',
  ],
  attach: [
    "ATTACH '$OTHER' AS o",
    "ATTACH DATABASE 'file:$OTHER?mode=ro' AS o",
    "ATTACH ':memory:' AS o",
    "ATTACH '' AS o",
    "ATTACH '$OUT' AS o",
    'DETACH main',
    'DETACH temp',
  ],
  pragma: [
    'PRAGMA journal_mode = WAL',
    'PRAGMA journal_mode(delete)',
    'PRAGMA main.journal_mode = MEMORY',
    'PRAGMA user_version = 8',
    'PRAGMA application_id = 8',
    'PRAGMA schema_version = 8',
    'PRAGMA writable_schema = ON',
    'PRAGMA writable_schema = RESET',
    'PRAGMA trusted_schema = ON',
    'PRAGMA query_only = OFF',
    'PRAGMA temp_store = FILE',
    "PRAGMA temp_store_directory = '/'",
    "PRAGMA encoding = 'UTF-16'",
    'PRAGMA page_size = 512',
    'PRAGMA auto_vacuum = FULL',
    'PRAGMA incremental_vacuum',
    'PRAGMA incremental_vacuum(3)',
    'PRAGMA wal_checkpoint',
    'PRAGMA wal_checkpoint(TRUNCATE)',
    'PRAGMA optimize',
    'PRAGMA locking_mode = EXCLUSIVE',
    'PRAGMA synchronous = OFF',
    'PRAGMA foreign_keys = ON',
    'PRAGMA case_sensitive_like = ON',
    'PRAGMA mmap_size = 100000000',
    'PRAGMA cache_size = 1000000',
    'PRAGMA hard_heap_limit = 1',
    'PRAGMA busy_timeout = 1000000',
    'PRAGMA max_page_count = 1',
    'PRAGMA shrink_memory',
    'PRAGMA legacy_alter_table = ON',
    "PRAGMA no_such_pragma = 'x'",
  ],
  function: [
    "SELECT load_extension('libevil')",
    "SELECT load_extension('libevil', 'entry')",
    "SELECT a FROM t WHERE load_extension('libevil') IS NULL",
    "SELECT fts3_tokenizer('simple')",
    "SELECT fts3_tokenizer('mine', x'0000000000000000')",
    "SELECT sqlite_log(1, 'message')",
    'SELECT optimize(old) FROM old LIMIT 1',
  ],
  second_statement: [
    'SELECT 1; DROP TABLE t',
    'SELECT 1; SELECT 2',
    'SELECT 1;;; DELETE FROM t',
    'SELECT 1; -- harmless\nDELETE FROM t',
    'SELECT 1 /* ; */ ; /* */ DELETE FROM t',
    "SELECT ';' ; INSERT INTO t(a) VALUES (1)",
    'SELECT 1; nonsense',
  ],
  nul: ['SELECT 1\0; DROP TABLE t', '\0', "SELECT 'a\0b'"],
  empty: ['', ' \t\r\n', '-- only a comment', '/* only a comment */', '/* open', ';', ' ; ;\n; -- nothing'],
};

/** Ways out that this SQLite does not have or refuses by itself (`trusted_schema` is off): its own error is the refusal. */
const UNKNOWN = [
  'SELECT * FROM evil',
  'SELECT * FROM evil_tokenizer',
  "SELECT readfile('/etc/passwd')",
  "SELECT writefile('$OUT', 'x')",
  "SELECT edit('x')",
  "SELECT * FROM fsdir('/')",
  "SELECT * FROM zipfile('$OTHER')",
  "SELECT eval('DROP TABLE t')",
  "SELECT * FROM '$OTHER'",
  'SELECT * FROM o.secret',
  'SELECT * FROM sqlite_dbpage',
];

describe('attacks on the sandbox', function () {
  this.timeout(60_000);
  let bench: Bench;
  let db: string;
  let untouched: Record<string, string>;

  before(() => {
    bench = new Bench({ spares: 0 });
    db = bench.database('victim.sqlite', SCHEMA);
    bench.database('other.sqlite', "CREATE TABLE secret(a); INSERT INTO secret VALUES ('s')");
    untouched = contentOf(bench.data);
  });
  after(() => bench.close());

  const fill = (sql: string) =>
    sql.replaceAll('$OTHER', join(bench.data, 'other.sqlite')).replaceAll('$OUT', join(bench.data, 'out.sqlite'));

  function assertUntouched(): void {
    assert.deepEqual(contentOf(bench.data), untouched);
    assert.deepEqual(filesBelow(bench.temp), []);
  }

  for (const [code, statements] of Object.entries(REFUSED))
    for (const statement of statements)
      it(`refuses as "${code}": ${JSON.stringify(statement)}`, async () => {
        const result = await bench.query(db, fill(statement));
        assert.deepEqual({ status: result.status, code: result.code }, { status: 'rejected', code });
        assert.deepEqual(result.rows, []);
        assert.ok((result.message ?? '').length > 20);
        assertUntouched();
      });

  for (const statement of UNKNOWN)
    it(`has no way to ${JSON.stringify(statement)}`, async () => {
      const result = await bench.query(db, fill(statement));
      assert.deepEqual({ status: result.status, code: result.code }, { status: 'error', code: 'SQLITE_ERROR' });
      assertUntouched();
    });

  it('still reads after all of them, with settings as before', async () => {
    assert.deepEqual((await bench.query(db, 'SELECT count(*) FROM t')).rows, [[3]]);
    assert.deepEqual((await bench.query(db, 'PRAGMA user_version')).rows, [[7]]);
    assert.deepEqual((await bench.query(db, 'PRAGMA database_list')).rows.length, 1);
    assert.deepEqual((await bench.query(db, "SELECT 'A' LIKE 'a'")).rows, [[1]]);
    assertUntouched();
  });

  it('lets one statement pass with semicolons, white space and comments behind it', async () => {
    for (const sql of [
      'SELECT 1;',
      'SELECT 1 ; -- done',
      'SELECT 1;;\n/* done */ ;',
      '\uFEFFSELECT 1',
      '-- first\nSELECT 1',
    ])
      assert.deepEqual((await bench.query(db, sql)).rows, [[1]], sql);
  });

  it('lets what reads pass: WITH, VALUES, EXPLAIN, pragmas that read, full-text search, R-trees', async () => {
    const reading = [
      'WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 3) SELECT * FROM n',
      'VALUES (1), (2)',
      'EXPLAIN SELECT * FROM t',
      'EXPLAIN QUERY PLAN SELECT * FROM t',
      'PRAGMA table_xinfo(t)',
      "SELECT * FROM pragma_table_xinfo('t')",
      'PRAGMA foreign_key_list(u)',
      'PRAGMA index_list(t)',
      'PRAGMA index_xinfo(t_a)',
      'PRAGMA table_list',
      'PRAGMA integrity_check',
      'PRAGMA quick_check(1)',
      "SELECT * FROM f WHERE f MATCH 'words'",
      "SELECT snippet(f, 0, '[', ']', '…', 5), bm25(f) FROM f WHERE f MATCH 'words'",
      "SELECT * FROM old WHERE body MATCH 'words'",
      'SELECT * FROM r WHERE x0 >= 0',
      'SELECT * FROM sqlite_schema',
      'SELECT count(*) FROM dbstat',
      "SELECT * FROM json_each('[1, 2]')",
    ];
    for (const sql of reading) {
      const result = await bench.query(db, sql);
      assert.equal(result.status, 'ok', `${sql}: ${result.message}`);
      assert.ok(result.rows.length > 0, sql);
    }
    assertUntouched();
  });
});
