import assert from 'node:assert/strict';
import { extractSql } from '../../../src/core/agent/extract-sql.ts';
import { firstStatement, trimStatement } from '../../../src/core/agent/sql-text.ts';

const SAME = 'SELECT name FROM singer';

const HOLDS: [string, string, string][] = [
  ['SQL alone', 'SELECT name FROM singer', SAME],
  ['a semicolon and an end mark', 'SELECT name FROM singer;<|im_end|>', SAME],
  ['a statement repeated without end', 'SELECT name FROM singer; '.repeat(500), SAME],
  ['a fence', '```sql\nSELECT name FROM singer\n```', SAME],
  ['a fence on one line', '```SELECT name FROM singer```', SAME],
  ['a fence never closed', 'Sure:\n```sqlite\nSELECT name FROM singer;', SAME],
  ['two fences', '```sql\nSELECT name FROM singer\n```\nor\n```sql\nSELECT 2\n```', SAME],
  ['a fence of output before the SQL', '```\n3 rows\n```\n```sql\nSELECT name FROM singer\n```', SAME],
  ['prose before it', 'The query is: SELECT name FROM singer', SAME],
  ['prose behind it in a paragraph of its own', 'SELECT name FROM singer\n\nThis lists the names.', SAME],
  ['inline code', 'Use `SELECT name FROM singer` for that.', SAME],
  ['a label', 'SQL: SELECT name FROM singer', SAME],
  ['thinking', '<think>SELECT 2</think>\nSELECT name FROM singer', SAME],
  ['a blank line inside the statement', 'SELECT name\n\nFROM singer', 'SELECT name\n\nFROM singer'],
  [
    'a semicolon in quotes and comments',
    `SELECT ';' AS "a;b" -- c;\n, [d;] /* ; */ FROM t; SELECT 2`,
    `SELECT ';' AS "a;b" -- c;\n, [d;] /* ; */ FROM t`,
  ],
  ['a quote in a comment', "SELECT 1 -- don't\n; SELECT 2", "SELECT 1 -- don't"],
  [
    'a common table expression in prose',
    'With this I get: WITH a AS (SELECT 1) SELECT * FROM a',
    'WITH a AS (SELECT 1) SELECT * FROM a',
  ],
  ['a comment first', '-- names\nSELECT name FROM singer', '-- names\nSELECT name FROM singer'],
  ['a statement that will be refused', 'DELETE FROM singer', 'DELETE FROM singer'],
];

describe('SQL in a reply', () => {
  for (const [what, reply, sql] of HOLDS) it(`is found in ${what}`, () => assert.equal(extractSql(reply), sql));

  for (const reply of ['', '   ', 'I cannot answer that.', 'With pleasure.', '```\n```', '<think>SELECT 1', ';;;'])
    it(`is not found in ${JSON.stringify(reply)}`, () => assert.equal(extractSql(reply), null));

  it('is found fast in a long reply', () => {
    assert.equal(extractSql(`${'with '.repeat(100_000)}`), null);
    assert.equal(extractSql(`${'select '.repeat(100_000)}`)?.length, 'select '.length * 100_000 - 1);
    assert.equal(extractSql('\n\n '.repeat(100_000)), null);
  });
});

describe('statements', () => {
  it('end at the first semicolon outside of quotes', () => {
    assert.equal(firstStatement("SELECT 'it''s; fine'; SELECT 2"), "SELECT 'it''s; fine'");
    assert.equal(firstStatement("SELECT 'never closed; "), "SELECT 'never closed;");
  });

  it('lose only the semicolons at their end', () => {
    assert.equal(trimStatement(' SELECT 1; SELECT 2 ; ;\n'), 'SELECT 1; SELECT 2');
  });
});
