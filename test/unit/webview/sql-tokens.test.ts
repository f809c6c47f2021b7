import assert from 'node:assert/strict';
import { sqlTokens } from '../../../webview-ui/shared/sql-tokens.ts';

function kinds(sql: string): string[] {
  return sqlTokens(sql)
    .filter(({ text }) => text.trim() !== '')
    .map(({ kind, text }) => `${kind} ${text}`);
}

describe('the colours of SQL', () => {
  it('tells keywords, names, functions, text, numbers and comments apart', () => {
    assert.deepEqual(kinds(`Select count(*), "a b".x FROM t WHERE n >= 1.5e3 AND s = 'it''s' -- why`), [
      'keyword Select',
      'function count',
      'other (',
      'other *',
      'other )',
      'other ,',
      'name "a b"',
      'other .',
      'name x',
      'keyword FROM',
      'name t',
      'keyword WHERE',
      'name n',
      'other >',
      'other =',
      'number 1.5e3',
      'keyword AND',
      'name s',
      'other =',
      "text 'it''s'",
      'comment -- why',
    ]);
  });

  it('keeps every character, whatever the text is', () => {
    const texts = [
      '',
      "SELECT 'open",
      'SELECT "open',
      '/* open',
      "x'CAFE' [a]] `b``c` ñandú 李 👍 \u0000 ;;\r\n\t",
      'a'.repeat(10_000),
      '('.repeat(5000),
      `SELECT ${'a, '.repeat(300_000)}1`,
    ];
    for (const sql of texts)
      assert.equal(
        sqlTokens(sql)
          .map(({ text }) => text)
          .join(''),
        sql,
      );
  });

  it('colours the beginning of a query of a megabyte, and leaves the rest in one piece', () => {
    const tokens = sqlTokens(`SELECT ${'a, '.repeat(400_000)}1`);
    assert.equal(tokens[0]?.kind, 'keyword');
    assert.ok(tokens.length <= 20_001);
  });

  it('does not colour inside of text and comments', () => {
    assert.deepEqual(kinds("'SELECT 1' /* FROM */"), ["text 'SELECT 1'", 'comment /* FROM */']);
  });
});
