import assert from 'node:assert/strict';
import type { Rows } from '../../../src/core/score/rows.ts';
import { compareStrictly, strictKey } from '../../../src/core/score/strict-ex.ts';
import type { Cell } from '../../../src/protocol/value.ts';
import { tableOf } from './support.ts';

function isEqual(one: Cell, other: Cell): boolean {
  const isSame = compareStrictly(tableOf([['x'], [one]]), tableOf([[other], ['x']]), false) === null;
  assert.equal(strictKey(one) === strictKey(other), isSame);
  return isSame;
}

function reason(gold: Rows, pred: Rows, ordered = false) {
  return compareStrictly(tableOf(gold), tableOf(pred), ordered);
}

describe('strict_ex', () => {
  it('gives the first reason that applies', () => {
    assert.equal(reason([[1, 2]], [[1]]), 'column_count');
    assert.equal(reason([[1], [1], [2]], [[2], [1]]), 'duplicates_only');
    assert.equal(reason([[1], [1], [2]], [[1], [2], [2]]), 'duplicates_only');
    assert.equal(reason([[1], [2]], [[1], [2], [3]]), 'row_count');
    assert.equal(reason([[1]], []), 'row_count');
    assert.equal(reason([[1], [2]], [[1], [3]]), 'row_values');
    assert.equal(reason([[1], [2]], [[2], [1]], true), 'row_order');
    assert.equal(reason([[1], [2]], [[2], [1]]), null);
    assert.equal(reason([[1], [2]], [[1], [2]], true), null);
  });

  it('asks for the same number of columns where there are no rows, too', () => {
    assert.equal(compareStrictly(tableOf([], 1), tableOf([], 2), false), 'column_count');
    assert.equal(compareStrictly(tableOf([], 2), tableOf([], 2), true), null);
  });

  it('does not look at the names of columns', () => {
    const gold = { columns: ['a', 'a'], rows: [[1, 2]] };
    const pred = { columns: ['x', 'y'], rows: [[1, 2]] };
    assert.equal(compareStrictly(gold, pred, true), null);
  });

  it('compares integers exactly, below 2^53 and beyond', () => {
    assert.equal(isEqual(1234567, 1234568), false);
    assert.equal(isEqual(9007199254740991, 9007199254740990), false);
    assert.equal(isEqual(2n ** 60n, 2n ** 60n + 1n), false);
    assert.equal(isEqual(2n ** 60n, 2n ** 60n), true);
    assert.equal(isEqual(0, -0), true);
  });

  it('compares reals to six significant digits', () => {
    assert.equal(isEqual(0.333333, 1 / 3), true);
    assert.equal(isEqual(0.33333, 1 / 3), false);
    assert.equal(isEqual(0.1 + 0.2, 0.3), true);
    assert.equal(isEqual(1234567.4, 1234568.1), true);
    assert.equal(isEqual(1.23456e-20, 1.23457e-20), false);
    assert.equal(isEqual(-2.5000001, -2.5), true);
    assert.equal(isEqual(-2.5, 2.5), false);
  });

  it('takes a real that rounds to an integer for that integer', () => {
    assert.equal(isEqual(2.9999999, 3), true);
    assert.equal(isEqual(2.9999, 3), false);
    assert.equal(isEqual(0.000001, 0), false);
    assert.equal(isEqual(1234567.0000001, 1234567), true);
    assert.equal(isEqual(1234567.0000001, 1234568), false);
    assert.equal(isEqual(123456789012.00002, 123456789012), false);
  });

  it('does not mix integers and reals from 2^53 on', () => {
    assert.equal(isEqual(2n ** 60n, 2 ** 60), false);
    assert.equal(isEqual(2 ** 60, 2 ** 60 * (1 + 1e-9)), true);
    assert.equal(isEqual(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY), false);
    assert.equal(isEqual(Number.POSITIVE_INFINITY, Number.MAX_VALUE), false);
  });

  it('never takes text, numbers, blobs and NULL for each other', () => {
    const cells: Cell[] = [1, '1', Uint8Array.of(0x31), null, '', 'NULL', new Uint8Array(), 0];
    for (const [place, one] of cells.entries())
      for (const [other, two] of cells.entries()) assert.equal(isEqual(one, two), place === other);
  });
});
