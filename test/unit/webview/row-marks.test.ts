import assert from 'node:assert/strict';
import type { RowMark } from '../../../src/protocol/grid.ts';
import { differenceInWords } from '../../../webview-ui/shared/difference.ts';
import { Pages } from '../../../webview-ui/shared/pages.ts';
import { markInWords, signOf } from '../../../webview-ui/shared/row-marks.ts';

const mark = (kind: RowMark['kind'], row: number, gold = 1, pred = 0): RowMark => ({ kind, row, gold, pred });

describe('the sign of a row', () => {
  it('tells without colour how it differs, and a screen reader in words', () => {
    assert.deepEqual([mark('missing', 0), mark('extra', 0), mark('recounted', 0, 3, 1), mark('moved', 0)].map(signOf), [
      '−',
      '+',
      '×3:1',
      '↕',
    ]);
    assert.equal(markInWords(mark('recounted', 0, 3, 1)), '3 times in the gold, 1 time in the prediction');
  });
});

describe('pages with marks', () => {
  it('number a row by where it stands in its result', () => {
    const pages = new Pages(() => undefined);
    pages.add({ offset: 0, rows: [[1], [2]], more: false, marks: [mark('missing', 2819), mark('missing', 3223)] });
    assert.equal(pages.isMarked, true);
    assert.deepEqual([pages.numberOf(0), pages.numberOf(1)], [2820, 3224]);
  });

  it('have rows without a mark between those that have one', () => {
    const pages = new Pages(() => undefined);
    pages.add({ offset: 0, rows: [[1], [2]], more: false, marks: [null, mark('extra', 1)] });
    assert.deepEqual([pages.mark(0), pages.mark(1)?.kind, pages.numberOf(0)], [null, 'extra', 1]);
  });

  it('are not marked where nothing was compared', () => {
    const pages = new Pages(() => undefined);
    pages.add({ offset: 0, rows: [[1]], more: false });
    assert.equal(pages.isMarked, false);
  });
});

describe('a difference in words', () => {
  const none = {
    missing: 0,
    extra: 0,
    recounted: 0,
    moved: 0,
    ordered: false,
    partial: false,
    goldColumns: 1,
    predColumns: 1,
  };

  it('counts what differs', () => {
    assert.equal(differenceInWords({ ...none, missing: 3, extra: 1 }), '3 rows missing, 1 row extra');
    assert.equal(differenceInWords({ ...none, recounted: 2 }), '2 rows repeated another number of times');
    assert.equal(differenceInWords({ ...none, goldColumns: 2, predColumns: 3 }), '3 columns instead of 2');
  });

  it('says that nothing does, and of what', () => {
    assert.equal(differenceInWords(none), 'Both results have the same rows');
    assert.equal(
      differenceInWords({ ...none, ordered: true, partial: true }),
      'Both results have the same rows in the same order, among the rows that were compared',
    );
  });
});
