import assert from 'node:assert/strict';
import { exactMcNemar } from '../../../src/core/score/statistics/mcnemar.ts';
import { knownValues } from './known.ts';

function assertRelative(actual: number, expected: number, of: string): void {
  const error = Math.abs(actual - expected) / expected;
  assert.ok(error < 1e-11, `${of}: ${actual}, not ${expected}`);
}

describe('exact McNemar test', () => {
  it("agrees with statsmodels' exact test and scipy's binomial test, up to tens of thousands of flips", () => {
    const cases = knownValues().mcnemar;
    assert.ok(cases.length > 180);
    for (const { gained, lost, mcnemar, binomtest } of cases) {
      const p = exactMcNemar(gained, lost);
      assertRelative(p, mcnemar, `${gained} gained, ${lost} lost, statsmodels`);
      assertRelative(p, binomtest, `${gained} gained, ${lost} lost, scipy`);
    }
  });

  it('does not depend on which run is the first', () => {
    for (const [gained, lost] of [
      [3, 9],
      [120, 80],
      [4000, 4200],
    ] as const)
      assert.equal(exactMcNemar(gained, lost), exactMcNemar(lost, gained));
  });

  it('is 1 where nothing flips or as much is gained as lost', () => {
    for (const flips of [0, 1, 17, 5000]) assert.equal(exactMcNemar(flips, flips), 1);
  });

  it('is a number even where the probability is smaller than any', () => {
    assert.equal(exactMcNemar(5000, 0), 0);
  });
});
