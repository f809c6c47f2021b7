import assert from 'node:assert/strict';
import { diffText } from '../../../src/core/evals/diff-text.ts';
import { diffRows } from '../../../src/core/score/row-diff.ts';
import type { RowDiff } from '../../../src/protocol/score.ts';
import type { Cell } from '../../../src/protocol/value.ts';

function textOf(
  gold: readonly (readonly Cell[])[],
  pred: readonly (readonly Cell[])[],
  columns = { gold: ['name', 'n'], pred: ['name', 'n'] },
) {
  const options = { ordered: false, maxRows: 20, maxBytes: 2048 };
  return diffText(diffRows({ columns: columns.gold, rows: gold }, { columns: columns.pred, rows: pred }, options));
}

const bytes = (text: string) => Buffer.byteLength(text);

describe('differing rows as text', () => {
  it('has the rows that differ alone, sorted, in columns that stand at the same place on both sides', () => {
    const gold = [
      ['Cy', 100],
      ['Ann', 5],
      ['same', 1],
    ];
    const pred = [
      ['same', 1],
      ['Annabel', 7],
    ];
    assert.deepEqual(textOf(gold, pred), {
      expected: 'name       n\nAnn        5\nCy       100',
      actual: 'name       n\nAnnabel    7',
    });
  });

  it('sorts numbers by value', () => {
    const columns = { gold: ['n'], pred: ['count(*)'] };
    const text = textOf([[10], [9], [-1]], [[2]], columns);
    assert.equal(text?.expected, '       n\n      -1\n       9\n      10');
    assert.equal(text?.actual, 'count(*)\n       2');
  });

  it('says how often a row stands there where the number differs', () => {
    const text = textOf(
      [
        ['a', 1],
        ['a', 1],
      ],
      [['a', 1]],
    );
    assert.deepEqual(text, { expected: 'name  n\na     1  ×2', actual: 'name  n\na     1  ×1' });
  });

  it('shows NULL apart from the empty text, and control characters as symbols', () => {
    const text = textOf(
      [[null, 1]],
      [
        ['', 1],
        ['a\nb', 1],
      ],
    );
    assert.equal(text?.expected, 'name  n\n∅     1');
    assert.equal(text?.actual, 'name  n\n      1\na↵b   1');
  });

  it('keeps 20 rows a side and counts the others', () => {
    const gold = Array.from({ length: 30 }, (_, index) => [`row ${index}`, index]);
    const lines = textOf(gold, [])?.expected.split('\n') ?? [];
    assert.equal(lines.length, 22);
    assert.equal(lines.at(-1), 'and 10 more rows');
  });

  it('keeps a side under 2 KB, whatever is in it', () => {
    const wide = Array.from({ length: 40 }, (_, column) => `column ${column}`);
    const rows = Array.from({ length: 20 }, (_, row) => wide.map((name) => `漢字 ${'x'.repeat(500)} ${name} ${row}`));
    const text = textOf(rows, [wide.map(() => 'é')], { gold: wide, pred: wide });
    assert.ok(text !== null);
    assert.ok(bytes(text.expected) <= 2048, `${bytes(text.expected)} bytes`);
    assert.ok(bytes(text.actual) <= 2048);
    assert.match(text.expected, /and \d+ more rows$/);
    assert.ok(text.expected.split('\n').length > 2, 'a row is shown');
  });

  it('is null where no row differs, only the order or nothing', () => {
    const none: RowDiff = {
      goldColumns: ['n'],
      predColumns: ['n'],
      goldRows: 2,
      predRows: 2,
      missing: [],
      extra: [],
      recounted: [],
      totals: { missing: 0, extra: 0, recounted: 0 },
      reordered: true,
    };
    assert.equal(diffText(none), null);
  });
});
