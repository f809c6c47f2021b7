import assert from 'node:assert/strict';
import { markRows } from '../../../src/core/evals/row-marks.ts';
import type { Cell } from '../../../src/protocol/value.ts';

const table = (rows: Cell[][], columns = ['a']) => ({ columns, rows });
const marked = (gold: Cell[][], pred: Cell[][], ordered = false) =>
  markRows(table(gold), table(pred), { ordered, partial: false });
const kinds = (marks: readonly ({ kind: string } | null)[]) => marks.map((mark) => mark?.kind ?? null);

describe('the marks of rows that differ', () => {
  it('are none where both results are the same, in any order unless the order counts', () => {
    const { marks, difference } = marked([[1], [2]], [[2], [1]]);
    assert.deepEqual(
      [kinds(marks.gold), kinds(marks.pred)],
      [
        [null, null],
        [null, null],
      ],
    );
    assert.deepEqual([difference.missing, difference.moved], [0, 0]);
  });

  it('say what is missing and what is extra, and where it stands', () => {
    const { marks, difference } = marked([[1], [2], [3]], [[3], [4], [1]]);
    assert.deepEqual(marks.gold, [null, { kind: 'missing', row: 1, gold: 1, pred: 0 }, null]);
    assert.deepEqual(marks.pred, [null, { kind: 'extra', row: 1, gold: 0, pred: 1 }, null]);
    assert.deepEqual([difference.missing, difference.extra], [1, 1]);
  });

  it('say how often a row stands in each result, every time that it stands there; equal rows count once', () => {
    const { marks, difference } = marked([[1], [1], [1], [2]], [[1], [2]]);
    assert.deepEqual(kinds(marks.gold), ['recounted', 'recounted', 'recounted', null]);
    assert.deepEqual(marks.pred[0], { kind: 'recounted', row: 0, gold: 3, pred: 1 });
    assert.equal(difference.recounted, 1);
  });

  it('say which rows stand elsewhere where the order counts', () => {
    const { marks, difference } = marked([[1], [2], [3]], [[3], [2], [1]], true);
    assert.deepEqual(kinds(marks.pred), ['moved', null, 'moved']);
    assert.equal(difference.moved, 2);
  });

  it('say nothing of order where the rows themselves differ', () => {
    const { marks } = marked([[1], [2]], [[2], [3]], true);
    assert.deepEqual(
      [kinds(marks.gold), kinds(marks.pred)],
      [
        ['missing', null],
        [null, 'extra'],
      ],
    );
  });

  it('go by the equality of strict_ex: reals to six digits, text is no number, NULL equals NULL', () => {
    const { marks } = marked([[1], ['1'], [null], [0.1 + 0.2]], [[1.0], [1], [null], [0.3]]);
    assert.deepEqual(kinds(marks.gold), ['recounted', 'missing', null, null]);
    assert.deepEqual(kinds(marks.pred), ['recounted', 'recounted', null, null]);
  });

  it('are none where the numbers of columns differ; the difference says so', () => {
    const { marks, difference } = markRows(table([[1]]), table([[1, 2]], ['a', 'b']), {
      ordered: false,
      partial: true,
    });
    assert.deepEqual([marks.gold, marks.pred], [[null], [null]]);
    assert.deepEqual([difference.goldColumns, difference.predColumns, difference.partial], [1, 2, true]);
  });

  it('tell every row of a result beside an empty one', () => {
    assert.equal(marked([[1], [2]], []).difference.missing, 2);
    assert.equal(marked([], [[1]]).difference.extra, 1);
  });
});
