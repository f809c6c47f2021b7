import assert from 'node:assert/strict';
import { wilson } from '../../../src/core/score/statistics/wilson.ts';
import { knownValues } from './known.ts';

describe('Wilson interval', () => {
  it('agrees with statsmodels', () => {
    const cases = knownValues().wilson;
    assert.ok(cases.length > 80);
    for (const { right, of, low, high } of cases) {
      const share = wilson(right, of);
      assert.ok(Math.abs(share.low - low) < 1e-13, `${right} of ${of}: low ${share.low}, not ${low}`);
      assert.ok(Math.abs(share.high - high) < 1e-13, `${right} of ${of}: high ${share.high}, not ${high}`);
    }
  });

  it('ends at 0 and 1 exactly where none or all are right', () => {
    for (const items of [1, 7, 521, 6773]) {
      assert.equal(wilson(0, items).low, 0);
      assert.equal(wilson(items, items).high, 1);
    }
  });

  it('says of no items that nothing is known', () => {
    assert.deepEqual(wilson(0, 0), { right: 0, of: 0, low: 0, high: 1 });
  });
});
