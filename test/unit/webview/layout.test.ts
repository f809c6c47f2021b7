import assert from 'node:assert/strict';
import {
  columnWidths,
  offsetsOf,
  scrollTo,
  textWidth,
  visibleColumns,
  visibleRows,
} from '../../../webview-ui/shared/layout.ts';

describe('the layout of a grid', () => {
  it('makes columns as wide as header and values need, within limits', () => {
    const columns = [
      { name: 'id', declared: 'INTEGER' },
      { name: 'a_long_column_name', declared: null },
      { name: 'x', declared: null },
      { name: 'text', declared: 'TEXT' },
    ];
    const widths = columnWidths(columns, [
      [1, 'b', 1, 'y'.repeat(300)],
      [20, 'c', null, ''],
    ]);
    assert.deepEqual(widths, [8, 19, 4, 44]);
  });

  it('counts wide characters twice', () => {
    assert.equal(textWidth('abc'), 3);
    assert.equal(textWidth('李小龍'), 6);
    assert.equal(textWidth('a👍'), 3);
  });

  it('draws only the columns that are seen, and one on each side', () => {
    const offsets = offsetsOf(Array.from({ length: 2000 }, () => 100));
    assert.deepEqual(visibleColumns(offsets, 0, 800), { first: 0, end: 10 });
    assert.deepEqual(visibleColumns(offsets, 50_050, 50_850), { first: 499, end: 510 });
    assert.deepEqual(visibleColumns(offsets, 199_500, 200_300), { first: 1994, end: 2000 });
    assert.deepEqual(visibleColumns([0], 0, 800), { first: 0, end: 0 });
  });

  it('draws only the rows that are seen, and some on each side', () => {
    assert.deepEqual(visibleRows(0, 480, 24, 1_000_000), { first: 0, end: 28 });
    assert.deepEqual(visibleRows(24_000, 24_480, 24, 1_000_000), { first: 992, end: 1028 });
    assert.deepEqual(visibleRows(0, 480, 24, 3), { first: 0, end: 3 });
  });

  it('scrolls no further than it must', () => {
    assert.equal(scrollTo(100, 124, 0, 480), 0);
    assert.equal(scrollTo(470, 494, 0, 480), 14);
    assert.equal(scrollTo(100, 124, 300, 480), 100);
    assert.equal(scrollTo(100, 900, 300, 480), 100);
  });
});
