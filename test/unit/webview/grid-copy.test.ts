import assert from 'node:assert/strict';
import { copySelection } from '../../../webview-ui/shared/grid-copy.ts';
import type { Selection } from '../../../webview-ui/shared/navigation.ts';
import { Pages } from '../../../webview-ui/shared/pages.ts';

const COLUMNS = [
  { name: 'id', declared: 'INTEGER' },
  { name: 'note', declared: 'TEXT' },
  { name: 'big', declared: null },
];

function filled(): Pages {
  const pages = new Pages(() => {});
  const rows = [
    [1, null, { int: '9007199254740993' }],
    [2, '', { hex: 'cafe', bytes: 2 }],
    [3, 'tab\there and "quotes"', 0.5],
  ];
  pages.add({ offset: 0, rows, more: false });
  return pages;
}

function selection(top: number, left: number, bottom: number, right: number): Selection {
  return { anchor: { row: bottom, column: right }, cursor: { row: top, column: left } };
}

describe('copying from a grid', () => {
  it('copies one cell as it is, NULL as the word', () => {
    const pages = filled();
    assert.equal(copySelection(selection(0, 2, 0, 2), COLUMNS, pages, false)?.text, '9007199254740993');
    assert.equal(copySelection(selection(0, 1, 0, 1), COLUMNS, pages, false)?.text, 'NULL');
    assert.equal(copySelection(selection(2, 1, 2, 1), COLUMNS, pages, false)?.text, 'tab\there and "quotes"');
  });

  it('copies several cells separated by tabs, NULL apart from the empty text', () => {
    const copied = copySelection(selection(0, 0, 2, 2), COLUMNS, filled(), false);
    assert.deepEqual(copied, {
      text: '1\t\t9007199254740993\n2\t""\tcafe\n3\t"tab\there and ""quotes"""\t0.5',
      said: 'Copied 3 rows of 3 columns.',
    });
  });

  it('puts the names of the columns on top when asked to', () => {
    assert.equal(copySelection(selection(0, 0, 0, 1), COLUMNS, filled(), true)?.text, 'id\tnote\n1\t');
  });

  it('says how many selected rows are not loaded', () => {
    const pages = new Pages(() => {});
    pages.add({ offset: 0, rows: Array.from({ length: 200 }, (_, id) => [id, '', 0]), more: true });
    pages.setEnd(1000);
    const copied = copySelection(selection(0, 0, 999, 0), COLUMNS, pages, false);
    assert.equal(copied?.said, 'Copied 200 rows of 1 column. 800 selected rows not loaded and left out.');
  });

  it('copies nothing where nothing is', () => {
    assert.equal(copySelection(selection(0, 0, 0, 0), COLUMNS, new Pages(() => {}), false), null);
  });
});
