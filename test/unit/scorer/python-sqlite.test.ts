import assert from 'node:assert/strict';
import { createContext, runInContext } from 'node:vm';
import { hasSecondSemicolon } from '../../../src/runtime/score/python-sqlite.ts';

/** Far longer than it takes, and far shorter than steps that double with each comment. */
const WATCHDOG_MS = 20_000;

describe('a second semicolon, on which Python raises', () => {
  it('is told from the first, and from those in texts and comments', () => {
    for (const sql of ['SELECT 1;;', 'SELECT 1; /* ; */ ;', ';SELECT 1; -- a\n;'])
      assert.equal(hasSecondSemicolon(sql), true, sql);
    for (const sql of ['SELECT 1', 'SELECT 1;', ';;SELECT 1;', "SELECT ';;'", 'SELECT 1; -- ;', '/* ;; */ SELECT 1;'])
      assert.equal(hasSecondSemicolon(sql), false, sql);
  });

  it('is looked for in no more time than a text is long, whatever comments stand behind the first', () => {
    const look = createContext({ hasSecondSemicolon });
    const told = (sql: string) =>
      runInContext(`hasSecondSemicolon(${JSON.stringify(sql)})`, look, { timeout: WATCHDOG_MS });
    assert.equal(told(`SELECT 1;${'/**/'.repeat(10_000)}`), false);
    assert.equal(told(`SELECT 1;${'/**/'.repeat(10_000)};`), true);
    assert.equal(told(`SELECT 1 /* ; */;${'-- a\n'.repeat(10_000)}`), false);
  });
});
