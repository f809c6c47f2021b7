import assert from 'node:assert/strict';
import { diffRows } from '../../../src/core/score/row-diff.ts';
import type { Rows } from '../../../src/core/score/rows.ts';
import { shortCell } from '../../../src/core/score/short-cell.ts';
import { randomFrom, shuffled, tableOf } from './support.ts';

const OPTIONS = { ordered: false, maxRows: 20, maxBytes: 2_000 };

function diff(gold: Rows, pred: Rows, options: Partial<typeof OPTIONS> = {}) {
  return diffRows(tableOf(gold), tableOf(pred), { ...OPTIONS, ...options });
}

describe('the diff of two results', () => {
  it('has each differing row once, with how often it stands on each side', () => {
    const found = diff([['a'], ['b'], ['b'], ['c'], ['a']], [['d'], ['b'], ['c'], ['d'], ['c']]);
    assert.deepEqual(found.missing, [{ row: ['a'], gold: 2, pred: 0 }]);
    assert.deepEqual(found.extra, [{ row: ['d'], gold: 0, pred: 2 }]);
    assert.deepEqual(found.recounted, [
      { row: ['b'], gold: 2, pred: 1 },
      { row: ['c'], gold: 1, pred: 2 },
    ]);
    assert.deepEqual(found.totals, { missing: 2, extra: 2, recounted: 2 });
    assert.deepEqual([found.goldRows, found.predRows, found.reordered], [5, 5, false]);
  });

  it('has nothing where strict_ex sees no difference, and shows reals as they are', () => {
    const equal = diff([[1 / 3], [2]], [[2], [0.333333333]]);
    assert.deepEqual([equal.missing, equal.extra, equal.totals.recounted], [[], [], 0]);
    assert.deepEqual(diff([[0.123456789]], [[1]]).missing, [{ row: [0.123456789], gold: 1, pred: 0 }]);
  });

  it('says that rows are in another order only where order counts and nothing else differs', () => {
    assert.equal(diff([[1], [2]], [[2], [1]], { ordered: true }).reordered, true);
    assert.equal(diff([[1], [2]], [[2], [1]]).reordered, false);
    assert.equal(diff([[1], [2]], [[1], [2]], { ordered: true }).reordered, false);
    assert.equal(diff([[1], [2]], [[3], [1]], { ordered: true }).reordered, false);
  });

  it('takes rows of another width for other rows', () => {
    const found = diff([[1, 2]], [[1]]);
    assert.deepEqual(found.totals, { missing: 1, extra: 1, recounted: 0 });
    assert.deepEqual([found.goldColumns, found.predColumns], [['a', 'b'], ['a']]);
  });

  it('cuts lists at their rows and counts on', () => {
    const gold = Array.from({ length: 100 }, (_, row) => [row]);
    const found = diff(gold, [], { maxRows: 3 });
    assert.deepEqual(
      found.missing.map(({ row }) => row),
      [[0], [1], [2]],
    );
    assert.equal(found.totals.missing, 100);
  });

  it('cuts lists at their bytes, and long texts and blobs to their share, so that some rows fit', () => {
    const gold = Array.from({ length: 50 }, (_, row) => ['x'.repeat(10_000), new Uint8Array(5_000).fill(row)]);
    const { missing, totals } = diff(gold, []);
    assert.ok(missing.length >= 2, `${missing.length} rows`);
    assert.ok(JSON.stringify(missing).length <= 2_000 + missing.length + 2);
    assert.deepEqual(missing[1]?.row[0], { text: 'x'.repeat(250), chars: 10_000 });
    assert.deepEqual(missing[1]?.row[1], { hex: '01'.repeat(125), bytes: 5_000 });
    assert.equal(totals.missing, 50);
  });

  it('stops at the first row that does not fit: what is shown is the beginning', () => {
    const wide = Array.from({ length: 500 }, (_, column) => column);
    const { missing, totals } = diff([[1], wide, [2]], [], { maxBytes: 1_000 });
    assert.deepEqual(missing, [{ row: [1], gold: 1, pred: 0 }]);
    assert.equal(totals.missing, 3);
  });

  it('counts exactly among a hundred thousand rows', () => {
    const random = randomFrom(8);
    const gold = Array.from({ length: 100_000 }, (_, row) => [row % 60_000, `name ${row % 10}`]);
    const pred = shuffled(gold, random).map((row, index) => (index % 100 === 0 ? [-index, 'new'] : row));
    const { totals } = diff(gold, pred);
    assert.equal(totals.extra, 1_000);
    assert.equal(totals.missing + totals.recounted, 1_000);
    assert.equal(diff(gold, shuffled(gold, random), { ordered: true }).reordered, true);
  });
});

describe('a cell that is too long for a list', () => {
  it('is cut between characters and says how long it was', () => {
    assert.deepEqual(shortCell('😀😀😀', 3), { text: '😀', chars: 3 });
    assert.deepEqual(shortCell({ text: 'abcdef', invalid: true }, 3), { text: 'abc', invalid: true, chars: 6 });
    assert.deepEqual(shortCell({ text: 'abcdef', chars: 900 }, 3), { text: 'abc', chars: 900 });
    assert.deepEqual(shortCell({ blob: Uint8Array.of(1, 2, 3), bytes: 900 }, 4), {
      blob: Uint8Array.of(1, 2),
      bytes: 900,
    });
  });

  it('stays as it is where it fits', () => {
    for (const cell of [null, 1, 2n ** 60n, 'abc', Uint8Array.of(1), { text: 'abc', chars: 900 }])
      assert.equal(shortCell(cell, 3), cell);
  });
});
