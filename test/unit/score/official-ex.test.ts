import assert from 'node:assert/strict';
import { exactKey } from '../../../src/core/score/cell-key.ts';
import { hasUnreadableText, officialEx } from '../../../src/core/score/official-ex.ts';
import type { Cell } from '../../../src/protocol/value.ts';
import { randomFrom, shuffled } from './support.ts';

const BYTES = new Uint8Array([0x31]);

/** Each list holds cells that are equal in Python; no two lists share one. */
const CLASSES: Cell[][] = [
  [null],
  [0, -0],
  [1],
  [9007199254740992, 9007199254740992n],
  [9007199254740993n],
  [2 ** 60, 2n ** 60n],
  [2n ** 60n + 1n],
  [-(2 ** 63), -(2n ** 63n)],
  [2n ** 63n - 1n],
  [2 ** 63],
  [Number.POSITIVE_INFINITY],
  [Number.NEGATIVE_INFINITY],
  [0.1 + 0.2],
  [0.3],
  ['1'],
  ['1;'],
  ['N'],
  [''],
  ['é'],
  ['e\u0301'],
  ['\uFFFD'],
  [{ text: '\uFFFD', invalid: true }],
  [BYTES, Uint8Array.of(0x31)],
  [new Uint8Array()],
  [{ blob: BYTES, bytes: 10 }],
  [{ blob: BYTES, bytes: 11 }],
  [{ text: '1', chars: 10 }],
];

describe('official_ex', () => {
  it('takes cells for equal where Python does, and no others', () => {
    for (const [place, cells] of CLASSES.entries())
      for (const [other, others] of CLASSES.entries())
        for (const one of cells)
          for (const two of others) {
            const message = `${String(one)} and ${String(two)}`;
            assert.equal(officialEx([[one]], [[two]]), place === other, message);
            // Behind another row, the quick comparison of rows in order does not decide.
            assert.equal(officialEx([['first'], [one]], [[two], ['first']]), place === other, message);
            assert.equal(exactKey(one) === exactKey(two), place === other, message);
          }
  });

  it('compares sets: neither order nor duplicates count', () => {
    assert.equal(officialEx([[1], [2], [2]], [[2], [1], [1], [1]]), true);
    assert.equal(officialEx([[1], [2]], [[1], [1]]), false);
    assert.equal(officialEx([[1]], [[1], [2]]), false);
  });

  it('wants the columns in order and in number', () => {
    assert.equal(officialEx([[1, 2]], [[2, 1]]), false);
    assert.equal(officialEx([[1]], [[1, 1]]), false);
    assert.equal(officialEx([['a', 'b']], [['ab', '']]), false);
  });

  it('takes two results without rows for equal', () => {
    assert.equal(officialEx([], []), true);
    assert.equal(officialEx([], [[null]]), false);
  });

  it('says the same with gold and prediction exchanged, and of any order of rows', () => {
    const random = randomFrom(6);
    const cells = CLASSES.flat();
    const some = () =>
      Array.from({ length: 1 + Math.floor(random() * 4) }, () => [cells[Math.floor(random() * 4)] ?? null]);
    for (let round = 0; round < 1_000; round++) {
      const [gold, pred] = [some(), some()];
      const verdict = officialEx(gold, pred);
      assert.equal(officialEx(pred, gold), verdict);
      assert.equal(officialEx(shuffled(gold, random), [...pred, ...pred]), verdict);
    }
  });

  it('finds rows among many, whose places in a table of hashes collide', () => {
    const rows = Array.from({ length: 100_000 }, (_, row): Cell[] => [row * 1024, `name ${row % 100}`]);
    const random = randomFrom(7);
    assert.equal(officialEx(rows, shuffled(rows, random)), true);
    assert.equal(officialEx(rows, shuffled(rows.with(50_000, [-1, 'name 0']), random)), false);
  });

  it('knows text that Python cannot read', () => {
    assert.equal(hasUnreadableText([[1], [{ text: '\uFFFD', invalid: true }]]), true);
    assert.equal(hasUnreadableText([['\uFFFD', { text: 'long', chars: 10 }]]), false);
  });
});
