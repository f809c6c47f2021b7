import assert from 'node:assert/strict';
import { isOrdered } from '../../../src/core/score/order.ts';
import { rVes, rVesReward } from '../../../src/core/score/r-ves.ts';
import { softF1 } from '../../../src/core/score/soft-f1.ts';

describe('soft_f1', () => {
  it('is 1 for two results without rows and 0 where one has none', () => {
    assert.equal(softF1([], []), 1);
    assert.equal(softF1([[1]], []), 0);
    assert.equal(softF1([], [[1]]), 0);
  });

  it('does not look at the order of cells in a row, nor at duplicates', () => {
    assert.equal(
      softF1(
        [
          ['a', 1],
          ['b', 2],
        ],
        [
          [1, 'a'],
          [1, 'a'],
          [2, 'b'],
        ],
      ),
      1,
    );
  });

  it('pairs rows by their place', () => {
    assert.equal(softF1([[1], [2]], [[2], [1]]), 0);
  });

  it('divides what a row has too much by the number of columns of the gold', () => {
    // One of two gold cells is met, one predicted cell is not in the gold: precision 1/2, recall 1/2.
    assert.equal(softF1([['a', 'b']], [['a', 'x']]), 0.5);
    // Precision 2/(2+1), recall 1.
    assert.ok(Math.abs(softF1([['a', 'b']], [['a', 'b', 'x']]) - 0.8) < 1e-12);
    // Of two gold rows one has no partner: precision 1, recall 1/2.
    assert.ok(Math.abs(softF1([['a'], ['b']], [['a']]) - 2 / 3) < 1e-12);
  });

  it('is the same for rows that are too wide to be searched cell by cell', () => {
    const wide = Array.from({ length: 40 }, (_, column) => `value ${column}`);
    assert.equal(softF1([wide], [wide.toReversed()]), 1);
    assert.equal(softF1([wide], [wide.map((value, column) => (column < 20 ? value : null))]), 0.5);
  });
});

describe('r_ves', () => {
  it('steps at 2, 1, 0.5 and 0.25 times the speed of the gold', () => {
    const rewards = [3, 2, 1.99, 1, 0.99, 0.5, 0.49, 0.25, 0.24, 0.001].map((ratio) => rVesReward([ratio]));
    assert.deepEqual(rewards, [1.25, 1.25, 1, 1, 0.75, 0.75, 0.5, 0.5, 0.25, 0.25]);
  });

  it('gives nothing where nothing was timed, since the results differ', () => {
    assert.equal(rVesReward([]), 0);
  });

  it('leaves out times beyond three standard deviations', () => {
    const usual = Array.from({ length: 50 }, (_, index) => 0.9 + (index % 2) / 100);
    assert.equal(rVesReward([...usual, 100]), 0.75);
    // Of two runs none is an outlier: (0.9 + 100) / 2.
    assert.equal(rVesReward([0.9, 100]), 1.25);
  });

  it('is the mean of the square roots of the rewards, times 100', () => {
    assert.ok(Math.abs(rVes([1, 0, 1.25, 0.25]) - ((1 + Math.sqrt(1.25) + 0.5) / 4) * 100) < 1e-9);
    assert.equal(rVes([]), 0);
  });
});

describe('the policy of the order of rows', () => {
  it('looks at the ORDER BY of the outermost query alone', () => {
    const ordered = [
      'SELECT a FROM t ORDER BY a',
      'select a from t\norder\tby a desc limit 3;',
      'SELECT a FROM t UNION SELECT b FROM u ORDER BY 1',
      'WITH c AS (SELECT 1) SELECT * FROM c ORDER BY 1',
    ];
    const unordered = [
      'SELECT a FROM t',
      'SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3)',
      'WITH c AS (SELECT a FROM t ORDER BY a) SELECT * FROM c',
      'SELECT rank() OVER (ORDER BY a) FROM t',
      'SELECT rank() OVER w FROM t WINDOW w AS (ORDER BY a)',
      'SELECT group_concat(a ORDER BY a) FROM t',
      `SELECT 'ORDER BY', "order" FROM t -- ORDER BY a`,
      'SELECT a FROM t; SELECT a FROM t ORDER BY a',
    ];
    for (const sql of ordered) assert.equal(isOrdered(sql, 'gold_order_by'), true, sql);
    for (const sql of unordered) assert.equal(isOrdered(sql, 'gold_order_by'), false, sql);
  });

  it('can be set aside both ways', () => {
    assert.equal(isOrdered('SELECT a FROM t ORDER BY a', 'ignore'), false);
    assert.equal(isOrdered('SELECT a FROM t', 'always'), true);
  });
});
