import assert from 'node:assert/strict';
import { type AlignedRow, alignResults } from '../../../src/core/diagnose/rows/align.ts';
import type { Cell } from '../../../src/protocol/value.ts';

const table = (columns: string[], ...rows: Cell[][]) => ({ columns, rows });
const short = ({ kind, gold, pred, goldTimes, predTimes, changed }: AlignedRow) =>
  `${kind} ${gold ?? '-'}x${goldTimes} ${pred ?? '-'}x${predTimes}${changed.length === 0 ? '' : ` [${changed.join()}]`}`;

function aligned(gold: ReturnType<typeof table>, pred: ReturnType<typeof table>, ordered = false) {
  const { columns, rows, same } = alignResults(gold, pred, ordered);
  const pairs = columns.pairs.map((pair) => `${pair.gold}=${pair.pred}`).join(' ');
  return { pairs, rows: rows.map(short), same, columns };
}

/** Numbers that look random and are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('rows of two results beside each other', () => {
  it('equal rows are counted, in any order', () => {
    const result = aligned(table(['a'], [1], [2], [2]), table(['a'], [2], [1], [2]));
    assert.deepEqual(result.rows, []);
    assert.equal(result.same, 3);
    assert.equal(result.columns.differs, false);
    assert.equal(result.columns.makesEqual, true);
  });

  it('a row that shares most cells is a changed row, and its changed cells are named', () => {
    const gold = table(['name', 'total'], ['Ann', 10], ['Bob', 20], ['Cid', 30]);
    const pred = table(['name', 'total'], ['Cid', 90], ['Ann', 10], ['Bob', 60]);
    assert.deepEqual(aligned(gold, pred).rows, ['changed 1x1 2x1 [1]', 'changed 2x1 0x1 [1]']);
  });

  it('rows of one column are missing and extra: they have nothing to share', () => {
    const result = aligned(table(['a'], ['x'], ['y']), table(['a'], ['y'], ['z']));
    assert.deepEqual(result.rows, ['missing 0x1 -x0', 'extra -x0 1x1']);
    assert.equal(result.same, 1);
  });

  it('one value instead of another is a change', () => {
    assert.deepEqual(aligned(table(['count(*)'], [275]), table(['count(*)'], [347])).rows, ['changed 0x1 0x1 [0]']);
  });

  it('a row that stands more often is repeated, with both numbers', () => {
    const gold = table(['a', 'b'], ['x', 1], ['y', 2]);
    const pred = table(['a', 'b'], ['x', 1], ['x', 1], ['x', 1], ['y', 2]);
    const result = aligned(gold, pred);
    assert.deepEqual(result.rows, ['repeated 0x1 0x3']);
    assert.equal(result.same, 2);
  });

  it('rows are paired by a value that few rows have rather than by one that many have', () => {
    const gold = table(['city', 'country'], ['Rio', 'Brazil'], ['Oslo', 'Norway'], ['Bahia', 'Brazil']);
    const pred = table(['city', 'country'], ['Bahia', 'Chile'], ['Lima', 'Brazil'], ['Rio', 'Peru']);
    assert.deepEqual(aligned(gold, pred).rows, [
      'changed 0x1 2x1 [1]',
      'missing 1x1 -x0',
      'changed 2x1 0x1 [1]',
      'extra -x0 1x1',
    ]);
  });

  it('a column that tells all rows apart pairs rows whatever else differs', () => {
    const gold = table(['id', 'a', 'b'], [1, 'p', 'q'], [2, 'r', 's'], [3, 't', 'u']);
    const pred = table(['id', 'a', 'b'], [2, 'x', 'y'], [1, 'v', 'w'], [3, 't', 'u']);
    assert.deepEqual(aligned(gold, pred).rows, ['changed 0x1 1x1 [1,2]', 'changed 1x1 0x1 [1,2]']);
  });

  it('where order counts and the rows are the same, those that stand elsewhere are moved', () => {
    const [gold, pred] = [table(['a'], [1], [2], [3]), table(['a'], [1], [3], [2])];
    assert.deepEqual(aligned(gold, pred, true).rows, ['moved 1x1 2x1', 'moved 2x1 1x1']);
    assert.deepEqual(aligned(gold, pred, false).rows, []);
  });

  it('numbers are equal as strict_ex has it, and NULL is not an empty text', () => {
    const result = aligned(table(['a', 'b'], [1, 0.1], [2, null]), table(['a', 'b'], [1, 0.10000001], [2, '']));
    assert.deepEqual(result.rows, ['changed 1x1 1x1 [1]']);
  });

  it('an empty result leaves all rows of the other alone', () => {
    assert.deepEqual(aligned(table(['a'], [1], [2]), table(['a'])).rows, ['missing 0x1 -x0', 'missing 1x1 -x0']);
    assert.deepEqual(aligned(table(['a', 'b']), table(['c'], [1])).rows, ['extra -x0 0x1']);
  });
});

describe('columns of two results', () => {
  it('swapped ones are found by what they hold', () => {
    const gold = table(['first', 'last'], ['Ann', 'Lee'], ['Bob', 'May'], ['Cid', 'Ode']);
    const pred = table(['last', 'first'], ['Lee', 'Ann'], ['May', 'Bob'], ['Ode', 'Cid']);
    const { pairs, columns, rows } = aligned(gold, pred);
    assert.equal(pairs, '0=1 1=0');
    assert.deepEqual([columns.differs, columns.makesEqual], [true, true]);
    assert.deepEqual(rows, []);
  });

  it('a part of them is found among more, and among fewer', () => {
    const few = table(['name'], ['Ann'], ['Bob']);
    const many = table(['id', 'name'], [1, 'Ann'], [2, 'Bob']);
    const more = aligned(few, many);
    assert.deepEqual([more.pairs, more.columns.predOnly, more.columns.makesEqual], ['0=1', [0], true]);
    const less = aligned(many, few);
    assert.deepEqual([less.pairs, less.columns.goldOnly, less.columns.makesEqual], ['1=0', [0], true]);
  });

  it('two columns that hold the same values are told apart by their rows', () => {
    const gold = table(['a', 'b'], [1, 2], [2, 3], [3, 1]);
    const pred = table(['x', 'y'], [2, 1], [3, 2], [1, 3]);
    assert.equal(aligned(gold, pred).pairs, '0=1 1=0');
  });

  it('keep their places where no other order has more rows in common', () => {
    const gold = table(['name', 'total'], ['Ann', 10], ['Bob', 20]);
    const pred = table(['name', 'total'], ['Ann', 15], ['Bob', 25]);
    const { pairs, columns } = aligned(gold, pred);
    assert.equal(pairs, '0=0 1=1');
    assert.equal(columns.differs, false);
  });

  it('swapped ones are found where some rows differ too', () => {
    const gold = table(['first', 'total'], ['Ann', 1], ['Bob', 2], ['Cid', 3], ['Dot', 4]);
    const pred = table(['total', 'first'], [10, 'Ann'], [20, 'Bob'], [30, 'Cid'], [40, 'Dot']);
    const { pairs, rows } = aligned(gold, pred);
    assert.equal(pairs, '0=1 1=0');
    assert.equal(rows.length, 4);
    assert.ok(rows.every((row) => /^changed .* \[1\]$/.test(row)));
  });
});

describe('alignment of any two results', () => {
  it('accounts for each row of both once', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = numbers(seed);
      const make = () =>
        table(
          ['a', 'b', 'c'],
          ...Array.from({ length: Math.floor(next() * 30) }, () =>
            [1, 2, 3].map((span) => Math.floor(next() * span * 4)),
          ),
        );
      const [gold, pred] = [make(), make()];
      const { rows, same } = alignResults(gold, pred, false);
      const count = (pick: (row: AlignedRow) => number) => rows.reduce((sum, row) => sum + pick(row), 0);
      const shared = ({ kind, goldTimes, predTimes }: AlignedRow) =>
        kind === 'repeated' ? Math.min(goldTimes, predTimes) : 0;
      assert.equal(same + count((row) => row.goldTimes - shared(row)), gold.rows.length, `gold, seed ${seed}`);
      assert.equal(same + count((row) => row.predTimes - shared(row)), pred.rows.length, `pred, seed ${seed}`);
    }
  });

  it('pairs nearly all of 2,000 rows of which one cell each differs', () => {
    const next = numbers(7);
    const gold = table(
      ['id', 'a', 'b', 'c'],
      ...Array.from({ length: 2_000 }, (_, id) => [
        id,
        Math.floor(next() * 50),
        `text ${Math.floor(next() * 900)}`,
        next(),
      ]),
    );
    const pred = { ...gold, rows: gold.rows.map((row) => row.with(3, -1)).reverse() };
    const { rows } = alignResults(gold, pred, false);
    assert.equal(rows.length, 2_000);
    assert.ok(
      rows.every(({ kind, gold: one, pred: other }) => kind === 'changed' && (one ?? 0) + (other ?? 0) === 1_999),
    );
  });
});
