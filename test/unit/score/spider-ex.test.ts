import assert from 'node:assert/strict';
import type { Row, Rows } from '../../../src/core/score/rows.ts';
import { spiderEx } from '../../../src/core/score/spider-ex.ts';
import { randomFrom, shuffled, withColumns } from './support.ts';

const WIDTH = 12;

function columnsInDisorder(random: () => number, width = WIDTH): number[] {
  return shuffled([...Array(width).keys()], random);
}

/** Rows of zeros and ones, of which no column is told from another by its values alone. */
function everyPattern(width: number): Row[] {
  return Array.from({ length: 2 ** width }, (_, row) => Array.from({ length: width }, (_, bit) => (row >> bit) & 1));
}

/** A one on the diagonal and one to the right of it, around in circles of so many rows. */
function circles(size: number, circle: number): Row[] {
  return Array.from({ length: size }, (_, row) => {
    const start = row - (row % circle);
    const next = start + ((row - start + 1) % circle);
    return Array.from({ length: size }, (_, column) => Number(column === row || column === next));
  });
}

/** A different value in one cell. */
function altered(rows: Rows, row: number, column: number): Row[] {
  return rows.map((cells, index) => (index === row ? cells.toSpliced(column, 1, 'another') : cells));
}

describe('spider_ex', () => {
  it('takes the same rows under any order of the columns', () => {
    const gold: Rows = [
      ['ann', 31, null],
      ['bob', 27, 1.5],
    ];
    assert.equal(spiderEx(gold, withColumns(gold, [2, 0, 1]), false), true);
    assert.equal(spiderEx(gold, withColumns(gold, [2, 0, 1]).toReversed(), false), true);
  });

  it('wants one order of columns for all rows', () => {
    assert.equal(
      spiderEx(
        [
          [1, 2],
          [3, 4],
        ],
        [
          [1, 2],
          [4, 3],
        ],
        false,
      ),
      false,
    );
  });

  it('counts how often a row stands there', () => {
    assert.equal(spiderEx([[1], [1], [2]], [[1], [2], [2]], false), false);
    assert.equal(spiderEx([[1], [1]], [[1]], false), false);
  });

  it('wants the rows in order where the gold does', () => {
    const gold: Rows = [
      [1, 'a'],
      [2, 'b'],
    ];
    assert.equal(spiderEx(gold, gold.toReversed(), true), false);
    assert.equal(spiderEx(gold, withColumns(gold, [1, 0]), true), true);
  });

  it('takes two results without rows for equal, whatever their columns', () => {
    assert.equal(spiderEx([], [], true), true);
    assert.equal(spiderEx([], [[null]], false), false);
  });

  it('leaves out bytes that are not UTF-8', () => {
    assert.equal(spiderEx([[{ text: 'a\uFFFDb', invalid: true }]], [['ab']], false), true);
    assert.equal(spiderEx([['a\uFFFDb']], [['ab']], false), false);
  });

  it('decides on a thousand rows of twelve equal columns', () => {
    const gold = Array.from({ length: 1_000 }, (_, row) => Array.from({ length: WIDTH }, () => row % 7));
    const random = randomFrom(1);
    assert.equal(spiderEx(gold, shuffled(gold, random), false), true);
    assert.equal(spiderEx(gold, altered(gold, 500, 3), false), false);
    assert.equal(spiderEx(gold, withColumns(gold, columnsInDisorder(random)), true), true);
  });

  it('decides on columns that are the same but for the order of their values', () => {
    const random = randomFrom(2);
    const gold = Array.from({ length: 1_000 }, () => Array.from({ length: WIDTH }, () => Number(random() < 0.5)));
    const pred = shuffled(withColumns(gold, columnsInDisorder(random)), random);
    assert.equal(spiderEx(gold, pred, false), true);
    assert.equal(spiderEx(gold, altered(pred, 0, 0), false), false);
  });

  it('decides where all columns look alike', () => {
    const random = randomFrom(3);
    const gold = everyPattern(WIDTH);
    assert.equal(spiderEx(gold, shuffled(withColumns(gold, columnsInDisorder(random)), random), false), true);
    const without = (...rows: number[]) => gold.filter((_, row) => !rows.includes(row));
    // Two patterns with two ones each are missing, which share no column here and one there.
    assert.equal(spiderEx(without(0b0011, 0b1100), without(0b0011, 0b0110), false), false);
    assert.equal(spiderEx(without(0b0011, 0b1100), without(0b1001, 0b0110), false), true);
  });

  it('tells two circles from one, which no row and no column does alone', () => {
    const random = randomFrom(4);
    const moved = shuffled(withColumns(circles(24, 24), columnsInDisorder(random, 24)), random);
    assert.equal(spiderEx(circles(24, 24), moved, false), true);
    assert.equal(spiderEx(circles(24, 24), circles(24, 12), false), false);
  });

  it('says the same with gold and prediction exchanged, and of any order of rows and columns', () => {
    const random = randomFrom(5);
    const cells = [null, 0, 1, '1', 'a', 2n ** 60n, 2 ** 60];
    for (let round = 0; round < 500; round++) {
      const [height, width] = [1 + Math.floor(random() * 4), 1 + Math.floor(random() * 4)];
      const some = () =>
        Array.from({ length: height }, () =>
          Array.from({ length: width }, () => cells[Math.floor(random() * 3)] ?? null),
        );
      const [gold, pred] = [some(), some()];
      const moved = shuffled(withColumns(pred, columnsInDisorder(random, width)), random);
      const verdict = spiderEx(gold, pred, false);
      assert.equal(spiderEx(pred, gold, false), verdict);
      assert.equal(spiderEx(gold, moved, false), verdict);
      assert.equal(spiderEx(pred, moved, false), true);
      if (spiderEx(gold, pred, true)) assert.equal(verdict, true);
    }
  });
});
