import assert from 'node:assert/strict';
import { purposeOf, tablesOf } from '../../../src/core/sql/parse.ts';
import { statementTail } from '../../../src/core/sql/tail.ts';
import { hasParameters, nameOf, tokensOf } from '../../../src/core/sql/tokens.ts';
import { withBytes } from '../../../src/core/sql/wrap.ts';

describe('tables of a query', () => {
  const cases: [string, string[]][] = [
    ['SELECT 1', []],
    ['SELECT * FROM Singer', ['Singer']],
    ['SELECT * FROM a, b JOIN c USING (id) LEFT JOIN d ON d.x = a.x', ['a', 'b', 'c', 'd']],
    ['SELECT * FROM "My ""T", [b x], `c`', ['My "T', 'b x', 'c']],
    ['SELECT * FROM t AS x, T AS y', ['t']],
    [
      'SELECT (SELECT max(a) FROM u) FROM t WHERE a IN (SELECT a FROM v) AND EXISTS (SELECT 1 FROM w)',
      ['u', 't', 'v', 'w'],
    ],
    ['SELECT a FROM t UNION SELECT a FROM u EXCEPT SELECT a FROM v', ['t', 'u', 'v']],
    ['SELECT * FROM t WHERE a IN u', ['t', 'u']],
    ['SELECT * FROM (SELECT * FROM t) AS u JOIN (v JOIN w)', ['t', 'v', 'w']],
    ['WITH c AS (SELECT * FROM t) SELECT * FROM c JOIN u', ['t', 'u']],
    ['WITH c AS (SELECT 1), d AS (SELECT * FROM C) SELECT * FROM d', []],
    ['WITH RECURSIVE c(x) AS (SELECT a FROM t UNION ALL SELECT x + 1 FROM c) SELECT * FROM c', ['t']],
    ['SELECT * FROM (WITH c AS (SELECT 1) SELECT * FROM c), c', ['c']],
    ['WITH c AS (SELECT 1) SELECT * FROM main.c', ['c']],
    ['SELECT * FROM t, json_each(t.a)', ['t']],
    ['SELECT t.a FROM main.t', ['t']],
    ['EXPLAIN SELECT * FROM t', ['t']],
    ['SELECT FROM nothing that parses', []],
  ];
  for (const [sql, tables] of cases)
    it(`of ${sql}`, () => {
      assert.deepEqual(tablesOf(sql), tables);
    });
});

describe('a query nested too deeply', () => {
  it('names no tables instead of overflowing the stack', () => {
    assert.deepEqual(tablesOf(`SELECT * FROM t WHERE ${'a = 1 AND '.repeat(50_000)} 1`), []);
    assert.deepEqual(tablesOf(`SELECT ${'('.repeat(50_000)}1${')'.repeat(50_000)} FROM t`), []);
  });
});

describe('purpose of a statement', () => {
  const cases: [string, ReturnType<typeof purposeOf>][] = [
    ['SELECT 1', 'read'],
    ['VALUES (1)', 'read'],
    ['WITH c AS (SELECT 1) SELECT * FROM c', 'read'],
    ['PRAGMA table_info(t)', 'pragma'],
    ['EXPLAIN QUERY PLAN SELECT 1', 'read'],
    ['EXPLAIN DELETE FROM t', 'write'],
    ['WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c', 'write'],
    ['VACUUM', 'write'],
    ['SAVEPOINT x', 'transaction'],
    ["ATTACH 'x' AS y", 'attach'],
    ['', null],
    ['no SQL at all', null],
  ];
  for (const [sql, purpose] of cases)
    it(`of ${JSON.stringify(sql)} is ${purpose}`, () => {
      assert.equal(purposeOf(sql), purpose);
    });
});

describe('tail of a statement', () => {
  it('is nothing where only white space, comments and semicolons follow', () => {
    for (const tail of ['', ' ', ';;', '; -- x', '-- x\n/* y */;\t\f\r\n', '/* open'])
      assert.equal(statementTail(`SELECT 1${tail}`, 8), null, JSON.stringify(tail));
  });

  it('is where the next statement starts', () => {
    assert.equal(statementTail('SELECT 1; SELECT 2', 9), 10);
    assert.equal(statementTail('SELECT 1;/* ; */x', 9), 16);
    assert.equal(statementTail('SELECT 1;--\n- 2', 9), 12);
    assert.equal(statementTail('SELECT 1;/', 9), 9);
  });
});

describe('tokens of a SQL text', () => {
  it('have their places in UTF-16 units, and comments are none', () => {
    const sql = "SELECT '😀' /* x */, b -- y";
    assert.deepEqual(
      tokensOf(sql).map(({ text, offset, end }) => [text, sql.slice(offset, end)]),
      ['SELECT', "'😀'", ',', 'b'].map((text) => [text, text]),
    );
  });

  it('stand for names without their quotes', () => {
    const names = tokensOf('a "b""c" [d"e] `f``g` \'h\'').map(nameOf);
    assert.deepEqual(names, ['a', 'b"c', 'd"e', 'f`g', null]);
  });

  it('tell parameters from texts and comments', () => {
    for (const sql of ['SELECT ?', 'SELECT ?12', 'SELECT :a', 'SELECT @a', 'SELECT $a'])
      assert.ok(hasParameters(sql), sql);
    for (const sql of ["SELECT '?'", 'SELECT ":a"', 'SELECT 1 -- ?', 'SELECT [@a]'])
      assert.ok(!hasParameters(sql), sql);
  });
});

describe('a query with bytes', () => {
  it('keeps the rows and adds the bytes of the wanted columns', () => {
    assert.equal(
      withBytes('SELECT a, b FROM t; -- end', 2, [1]),
      'WITH rows_0("0", "1") AS (SELECT a, b FROM t) SELECT "0", "1", CAST("1" AS BLOB) FROM rows_0',
    );
  });

  it('takes a name that the query does not use', () => {
    assert.match(withBytes('SELECT * FROM Rows_0', 1, [0]) ?? '', /^WITH rows_1\(/);
  });

  it('is not made of what is no query', () => {
    for (const sql of ['PRAGMA table_info(t)', 'EXPLAIN SELECT 1', '']) assert.equal(withBytes(sql, 1, [0]), null, sql);
  });
});
