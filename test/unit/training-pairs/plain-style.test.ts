import assert from 'node:assert/strict';
import { plainStyle } from '../../../src/core/training/pairs/plain-style.ts';

describe('a query in one style', () => {
  const cases: [string, string][] = [
    [
      'select  count ( * ) ,max( T1.Age )\nfrom singer as T1 where x in ( select y from z ) -- no',
      'SELECT COUNT(*), MAX(T1.Age) FROM singer AS T1 WHERE x IN (SELECT y FROM z)',
    ],
    [
      `select cast( "a b" as real)*- 1, -2 - 3, 'from  x' from t left  join u on t.id=u.id where a!='b' limit 1`,
      `SELECT CAST("a b" AS REAL) * -1, -2 - 3, 'from  x' FROM t LEFT JOIN u ON t.id = u.id WHERE a != 'b' LIMIT 1`,
    ],
    [
      "select t . * , a||'x' from t where not exists(select 1)",
      "SELECT t.*, a || 'x' FROM t WHERE NOT EXISTS (SELECT 1)",
    ],
    ['select a between - 1 and -2 , x between -3 and 4', 'SELECT a BETWEEN -1 AND -2, x BETWEEN -3 AND 4'],
  ];
  for (const [given, expected] of cases)
    it(`is ${expected}`, () => {
      assert.equal(plainStyle(given), expected);
      assert.equal(plainStyle(expected), expected);
    });
});
