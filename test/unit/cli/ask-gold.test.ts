import assert from 'node:assert/strict';
import { sameRows } from '../../../src/cli/ask-gold.ts';

describe('rows of an answer and of the correct query', () => {
  it('are the same in any order of rows and columns', () => {
    assert.equal(
      sameRows(
        [
          [1, 'a'],
          [2, 'b'],
        ],
        [
          ['b', 2],
          ['a', 1],
        ],
        2,
      ),
      true,
    );
  });

  it('differ where columns hold the same values in other rows', () => {
    assert.equal(
      sameRows(
        [
          [1, 'a'],
          [2, 'b'],
        ],
        [
          ['a', 2],
          ['b', 1],
        ],
        2,
      ),
      false,
    );
  });

  it('count how often a row stands', () => {
    assert.equal(sameRows([[1], [1], [2]], [[1], [2], [2]], 1), false);
    assert.equal(sameRows([[1], [1]], [[1]], 1), false);
  });

  it('tell NULL from text, and take reals to six digits', () => {
    assert.equal(sameRows([[null]], [['']], 1), false);
    assert.equal(sameRows([[0.1 + 0.2]], [[0.3]], 1), true);
    assert.equal(sameRows([[0.31]], [[0.3]], 1), false);
  });

  it('are compared in time where many columns are alike', () => {
    const wide = Array.from({ length: 3 }, (_, row) => Array.from({ length: 12 }, (_, column) => (row + column) % 2));
    assert.equal(sameRows(wide, wide.toReversed(), 12), true);
  });
});
