import assert from 'node:assert/strict';
import type { Cell } from '../../../src/protocol/value.ts';
import { Bench } from './support.ts';

const SCHEMA = `
  CREATE TABLE t(id INTEGER PRIMARY KEY, name VARCHAR(20), price REAL, data BLOB, anything);
  INSERT INTO t VALUES (1, 'a', 1.5, x'00ff', NULL);
  CREATE TABLE texts(id INTEGER PRIMARY KEY, s TEXT);
  INSERT INTO texts VALUES (1, 'plain'), (2, CAST(x'6162ff63' AS TEXT)), (3, char(65533) || 'true'), (4, CAST(x'eda080' AS TEXT)),
    (5, CAST(x'efbfbdc3' AS TEXT)), (6, 'a' || char(0) || 'b'), (7, ''), (8, char(65279) || 'mark'), (9, char(128512));
  CREATE VIEW v AS SELECT id AS number, name FROM t;
  CREATE VIRTUAL TABLE f USING fts5(body);
  INSERT INTO f VALUES ('some words');
  CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);`;

describe('values and columns of a result', () => {
  let bench: Bench;
  let db: string;
  before(() => {
    bench = new Bench({ spares: 0 });
    db = bench.database('values.sqlite', SCHEMA);
  });
  after(() => bench.close());

  async function rows(sql: string, options = {}): Promise<Cell[][]> {
    const result = await bench.query(db, sql, options);
    assert.equal(result.status, 'ok', result.message ?? '');
    return result.rows;
  }

  it('keeps integers exact: numbers up to 2^53 - 1, bigint beyond', async () => {
    const sql = `VALUES (0), (-1), (9007199254740991), (9007199254740992), (9007199254740993), (-9007199254740991),
      (-9007199254740992), (9223372036854775807), (-9223372036854775808)`;
    const safe = Number.MAX_SAFE_INTEGER;
    const big = [2n ** 53n, 2n ** 53n + 1n];
    assert.deepEqual((await rows(sql)).flat(), [
      0,
      -1,
      safe,
      ...big,
      -safe,
      -(2n ** 53n),
      2n ** 63n - 1n,
      -(2n ** 63n),
    ]);
  });

  it('keeps reals, infinities, NULL, texts and blobs', async () => {
    assert.deepEqual(await rows("SELECT 0.1, 1e300, 9e999, -9e999, 1e400 - 1e400, NULL, '', x'', x'00ff'"), [
      [0.1, 1e300, Infinity, -Infinity, null, null, '', new Uint8Array(), new Uint8Array([0, 255])],
    ]);
  });

  it('keeps NUL, byte order marks and characters beyond the basic plane in texts', async () => {
    assert.deepEqual(await rows('SELECT s FROM texts WHERE id IN (6, 8, 9)'), [['a\0b'], ['\uFEFFmark'], ['😀']]);
  });

  it('flags text whose bytes are no UTF-8, and no other text with U+FFFD', async () => {
    assert.deepEqual(await rows('SELECT id, s FROM texts WHERE id < 6'), [
      [1, 'plain'],
      [2, { text: 'ab\uFFFDc', invalid: true }],
      [3, '\uFFFDtrue'],
      [4, { text: '\uFFFD\uFFFD\uFFFD', invalid: true }],
      [5, { text: '\uFFFD\uFFFD', invalid: true }],
    ]);
  });

  for (const sql of [
    'SELECT s FROM texts ORDER BY id DESC -- the end',
    'SELECT s AS a, s AS a, id FROM texts WHERE id = 2;',
    'WITH q AS (SELECT s FROM texts) SELECT * FROM q',
    'SELECT s FROM texts UNION ALL SELECT s FROM texts',
    'SELECT group_concat(s) FROM texts',
    'SELECT DISTINCT s FROM texts ORDER BY 1 LIMIT 5 OFFSET 1',
    "VALUES (CAST(x'ff' AS TEXT), 1)",
    "SELECT s || 'rows_0' FROM texts /* open",
  ])
    it(`flags it in the rows of ${JSON.stringify(sql)}`, async () => {
      const result = await bench.query(db, sql);
      assert.equal(result.status, 'ok', result.message ?? '');
      assert.deepEqual(result.notes, []);
      const flagged = result.rows
        .flat()
        .filter((cell) => typeof cell === 'object' && cell !== null && 'invalid' in cell);
      assert.ok(flagged.length > 0);
    });

  it('says that it cannot tell where a query gives other rows each time', async () => {
    const result = await bench.query(db, 'SELECT s, random() FROM texts WHERE id = 2');
    assert.equal(result.rows[0]?.[0], 'ab\uFFFDc');
    assert.match(result.notes.join(), /cannot be told/);
  });

  it('flags invalid text in a database in UTF-16', async () => {
    const path = bench.database(
      'utf16.sqlite',
      `PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(s TEXT); INSERT INTO t VALUES (char(65533)), (CAST(x'fdff00dc' AS TEXT))`,
    );
    const [valid, invalid] = (await bench.query(path, 'SELECT s FROM t')).rows.flat();
    assert.equal(valid, '\uFFFD');
    assert.ok(typeof invalid === 'object' && invalid !== null && 'invalid' in invalid);
  });

  it('keeps duplicate column names apart, with declared types and origins where SQLite knows them', async () => {
    const result = await bench.query(db, "SELECT id, name AS id, price + 1 AS x, 'c', t.* FROM t");
    assert.deepEqual(result.columns, ['id', 'id', 'x', "'c'", 'id', 'name', 'price', 'data', 'anything']);
    assert.deepEqual(result.origins.slice(0, 3), [
      { table: 't', column: 'id', declared: 'INTEGER' },
      { table: 't', column: 'name', declared: 'VARCHAR(20)' },
      { table: null, column: null, declared: null },
    ]);
    assert.deepEqual(result.origins.at(-1), { table: 't', column: 'anything', declared: null });
    assert.equal(result.rows[0]?.length, 9);
  });

  it('takes double-quoted words that are no names as texts, as old databases need', async () => {
    assert.deepEqual(await rows('SELECT id FROM t WHERE name = "a"'), [[1]]);
  });

  it('names the tables, views and columns that a query read', async () => {
    const touched = async (sql: string) => (await bench.query(db, sql)).touched;
    assert.deepEqual(await touched('SELECT price FROM t WHERE name = 1'), [{ table: 't', columns: ['price', 'name'] }]);
    assert.deepEqual(await touched('SELECT count(*) FROM t'), [{ table: 't', columns: [] }]);
    assert.deepEqual(await touched('SELECT number FROM v'), [
      { table: 't', columns: ['id', 'name'] },
      { table: 'v', columns: ['number'] },
    ]);
    assert.deepEqual(await touched("SELECT body FROM f WHERE f MATCH 'words'"), [
      { table: 'f', columns: ['body', 'f'] },
    ]);
    assert.deepEqual(await touched('SELECT id FROM r'), [{ table: 'r', columns: ['id'] }]);
    assert.deepEqual(await touched('SELECT 1'), []);
  });

  it('names them again when the same query runs again', async () => {
    const sql = 'SELECT data FROM t';
    assert.deepEqual((await bench.query(db, sql)).touched, (await bench.query(db, sql)).touched);
  });

  it('cuts at the row cap, and says so only where there are more', async () => {
    const sql = 'VALUES (1), (2), (3)';
    const two = await bench.query(db, sql, { maxRows: 2 });
    assert.deepEqual([two.rows, two.truncated], [[[1], [2]], true]);
    const three = await bench.query(db, sql, { maxRows: 3 });
    assert.deepEqual([three.rows.length, three.truncated], [3, false]);
    const none = await bench.query(db, sql, { maxRows: 0 });
    assert.deepEqual([none.rows, none.truncated, none.columns], [[], true, ['column1']]);
  });

  it('cuts an endless result at the row cap without waiting for its end', async () => {
    const sql = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n';
    const result = await bench.query(db, sql, { maxRows: 5 });
    assert.deepEqual([result.status, result.rows.length, result.truncated], ['ok', 5, true]);
  });

  it('cuts at the byte cap of the result', async () => {
    const sql = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT zeroblob(1000) FROM n';
    const result = await bench.query(db, sql, { maxBytes: 10_500, maxRows: 1000 });
    assert.deepEqual([result.status, result.rows.length, result.truncated], ['ok', 10, true]);
  });

  it('cuts long texts at whole characters and long blobs, and tells their full size', async () => {
    const result = await bench.query(db, "SELECT replace(hex(zeroblob(50)), '0', 'é'), zeroblob(2000), 'short'", {
      maxCellBytes: 33,
    });
    assert.deepEqual(result.rows, [
      [{ text: 'é'.repeat(16), chars: 100 }, { blob: new Uint8Array(33), bytes: 2000 }, 'short'],
    ]);
    assert.equal(result.truncated, true);
    const astral = await bench.query(db, "SELECT replace(hex(zeroblob(5)), '0', char(128512))", { maxCellBytes: 10 });
    assert.deepEqual(astral.rows, [[{ text: '😀😀', chars: 10 }]]);
  });

  it('flags a long text that is no UTF-8 beyond the cut', async () => {
    const sql = "SELECT CAST(CAST(replace(hex(zeroblob(50)), '0', 'a') AS BLOB) || x'ff' AS TEXT)";
    assert.deepEqual(await rows(sql, { maxCellBytes: 10 }), [[{ text: 'a'.repeat(10), chars: 101, invalid: true }]]);
  });

  it("answers with SQLite's word for a value that is too large", async () => {
    const result = await bench.query(db, 'SELECT zeroblob(300000000)');
    assert.deepEqual([result.status, result.code], ['error', 'SQLITE_TOOBIG']);
    assert.match(result.message ?? '', /256 MiB/);
  });

  it('takes limits that have no end', async () => {
    const result = await bench.query(db, 'SELECT 1', { maxRows: Infinity, maxBytes: Infinity, timeoutMs: Infinity });
    assert.deepEqual(result.rows, [[1]]);
  });

  it('runs SQL of a megabyte, and says what is wrong with one that is too deep or too long', async () => {
    const long = `SELECT '${'x'.repeat(1_000_000)}'`;
    assert.equal(String((await rows(long))[0]?.[0]).length, 1_000_000);
    const many = `SELECT ${Array.from({ length: 1900 }, (_, index) => index).join(', ')} -- ${'x'.repeat(1_000_000)}`;
    assert.equal((await rows(many))[0]?.length, 1900);
    const deep = await bench.query(db, `SELECT ${'('.repeat(200_000)}1${')'.repeat(200_000)}`);
    assert.equal(deep.status, 'error');
    const wide = await bench.query(db, `SELECT 1${' + 1'.repeat(250_000)}`);
    assert.deepEqual([wide.status, wide.code], ['error', 'SQLITE_ERROR']);
    const huge = await bench.query(db, `SELECT 1 -- ${'x'.repeat(9_000_000)}`);
    assert.deepEqual([huge.status, huge.code], ['error', 'SQLITE_TOOBIG']);
    assert.match(huge.message ?? '', /The SQL is longer than 8 MiB/);
  });

  it('reads parameters without values as NULL, and says so', async () => {
    const result = await bench.query(db, "SELECT ?, :name, '?' AS text");
    assert.deepEqual(result.rows, [[null, null, '?']]);
    assert.match(result.notes.join(), /parameter/i);
    assert.deepEqual((await bench.query(db, "SELECT '10:30?' AS text")).notes, []);
  });
});
