import assert from 'node:assert/strict';
import { editDistance, nearestValues } from '../../../src/core/diagnose/repair/near.ts';

describe('values near a text', () => {
  it('come with those first that differ in case or white space alone', () => {
    assert.deepEqual(nearestValues('usa', ['USB', 'France', ' USA']), [' USA', 'USB']);
  });

  it('are found for a slip of the pen and for a part of a value', () => {
    assert.deepEqual(nearestValues('United Airline', ['Delta', 'United Airlines']), ['United Airlines']);
    assert.deepEqual(nearestValues('volvo', ['volvo 145e (sw)', 'ford pinto']), ['volvo 145e (sw)']);
  });

  it('are not the text itself, and not what has nothing to do with it', () => {
    assert.deepEqual(nearestValues('Rome', ['Rome', 'Copenhagen', 'Lisbon']), []);
  });

  it('are at most four', () => {
    assert.equal(nearestValues('ab', ['AB', 'Ab', 'aB', ' ab', 'ab ']).length, 4);
  });
});

describe('the edit distance', () => {
  it('counts insertions, deletions and replacements, and stops at the most asked for', () => {
    assert.equal(editDistance('kitten', 'sitting', 5), 3);
    assert.equal(editDistance('', 'abc', 5), 3);
    assert.equal(editDistance('abc', 'abc', 0), 0);
    assert.equal(editDistance('abcdef', 'uvwxyz', 2), 3);
  });
});
