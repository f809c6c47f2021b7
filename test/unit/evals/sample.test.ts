import assert from 'node:assert/strict';
import { sampleOf } from '../../../src/core/evals/sample.ts';

const numbers = Array.from({ length: 521 }, (_, index) => index);

describe('a seeded sample', () => {
  it('has the size that was asked for, each item once, in order', () => {
    const sample = sampleOf(numbers, 50, 1);
    assert.equal(sample.length, 50);
    assert.deepEqual(
      sample,
      [...new Set(sample)].sort((a, b) => a - b),
    );
  });

  it('is the same for the same seed, and another for another', () => {
    assert.deepEqual(sampleOf(numbers, 50, 1), sampleOf(numbers, 50, 1));
    assert.notDeepEqual(sampleOf(numbers, 50, 1), sampleOf(numbers, 50, 2));
  });

  it('is everything where there is no more', () => {
    assert.deepEqual(sampleOf(numbers, 521, 1), numbers);
    assert.deepEqual(sampleOf([1, 2], 50, 1), [1, 2]);
    assert.deepEqual(sampleOf([], 50, 1), []);
  });

  it('chooses every item about as often as the others', () => {
    const times = numbers.map(() => 0);
    for (let seed = 0; seed < 2000; seed += 1)
      for (const index of sampleOf(numbers, 50, seed)) times[index] = (times[index] ?? 0) + 1;
    // 2,000 x 50 / 521 = 192 times; six standard deviations of 13.2 either way.
    assert.ok(
      times.every((count) => Math.abs(count - 192) < 80),
      `${Math.min(...times)} to ${Math.max(...times)}`,
    );
  });
});
