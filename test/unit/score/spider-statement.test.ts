import assert from 'node:assert/strict';
import { isSpiderOrdered, spiderStatement } from '../../../src/core/score/spider-ex.ts';
import { firstWithoutDistinct } from '../../../src/core/score/without-distinct.ts';
import { fixtureLines } from './support.ts';

describe('the statement that Spider runs', () => {
  it('is what sqlparse makes of 3,000 texts: the first statement without DISTINCT', () => {
    const lines = fixtureLines<[text: string, statement: string]>('distinct_statements.jsonl.gz');
    const wrong = lines.filter(([text, statement]) => firstWithoutDistinct(text) !== statement);
    assert.deepEqual(wrong, []);
  });

  it('loses every DISTINCT, in functions and subqueries too', () => {
    assert.equal(
      spiderStatement('SELECT DISTINCT a, count(distinct b) FROM (SELECT DISTINCT * FROM t)', false),
      'SELECT  a, count( b) FROM (SELECT  * FROM t)',
    );
  });

  it('keeps the word in texts, quoted names, comments and longer names', () => {
    const sql = `SELECT 'distinct', "distinct", [distinct], \`distinct\`, distinct_id -- distinct\n FROM t /* distinct */`;
    assert.equal(spiderStatement(sql, false), sql);
  });

  it('takes a quote behind a backslash for a part of the text, as sqlparse does and SQLite does not', () => {
    assert.equal(spiderStatement("SELECT '\\' || DISTINCT || 'x'", false), "SELECT '\\' || DISTINCT || 'x'");
    assert.equal(spiderStatement("SELECT DISTINCT a LIKE '\\'", false), "SELECT  a LIKE '\\'");
  });

  it('is the first statement only, unless DISTINCT is kept', () => {
    assert.equal(spiderStatement("SELECT ';' ; SELECT 2", false), "SELECT ';' ;");
    assert.equal(spiderStatement('SELECT DISTINCT 1; SELECT 2', true), 'SELECT DISTINCT 1; SELECT 2');
  });

  it('has its comparisons closed up, in texts as well, whether or not DISTINCT is kept', () => {
    for (const keepDistinct of [false, true])
      assert.equal(
        spiderStatement("a > = 1 AND b < = 2 AND c ! = '> ='", keepDistinct),
        "a >= 1 AND b <= 2 AND c != '>='",
      );
  });

  it('has the year of 2020', () => {
    assert.equal(spiderStatement('SELECT year ( curdate() ) - y', false), 'SELECT 2020- y');
  });

  it('of a megabyte of openers without closers is made in one pass', () => {
    for (const piece of ['/*', '[', "'\\'", 'YEAR (']) {
      const sql = piece.repeat(1_000_000 / piece.length);
      assert.equal(spiderStatement(sql, false).length, sql.length);
    }
  });

  it('asks for the order of rows where it holds `order by` with one space, wherever that stands', () => {
    assert.equal(isSpiderOrdered('SELECT a FROM t Order By a'), true);
    assert.equal(isSpiderOrdered('SELECT a FROM (SELECT a FROM t ORDER BY b LIMIT 1)'), true);
    assert.equal(isSpiderOrdered("SELECT 'order by'"), true);
    assert.equal(isSpiderOrdered('SELECT a FROM t ORDER  BY a'), false);
    assert.equal(isSpiderOrdered('SELECT a FROM t'), false);
  });
});
