import assert from 'node:assert/strict';
import { actualShape } from '../../../src/core/signals/actual-shape.ts';
import { compareShapes } from '../../../src/core/signals/compare.ts';
import { shapeInWords, uncheckedInWords } from '../../../src/core/signals/describe.ts';
import { duplicateRows } from '../../../src/core/signals/duplicates.ts';
import { shapesInWords } from '../../../src/host/ask/words.ts';
import type { ExpectedShape, ShapeKind } from '../../../src/protocol/ask.ts';
import type { JsonCell } from '../../../src/protocol/value.ts';

function shapeOf(cells: JsonCell[], truncated = false) {
  return actualShape({ columns: ['c'], rows: cells.map((cell) => [cell]), truncated });
}

function kindOf(...cells: JsonCell[]): ShapeKind | undefined {
  return shapeOf(cells).columns[0]?.kind;
}

function expecting(rows: ExpectedShape['rows'], ...kinds: ShapeKind[]): ExpectedShape {
  return { source: 'rule', rows, columns: kinds.length === 0 ? null : kinds.map((kind) => ({ name: null, kind })) };
}

describe('duplicated rows', () => {
  it('are counted by whole rows', () => {
    const rows = [
      [1, 'a'],
      [1, 'b'],
      [1, 'a'],
      [1, 'a'],
    ];
    assert.deepEqual(duplicateRows(rows), { rows: 2, total: 4 });
  });

  it('are none in an empty result and where rows differ', () => {
    assert.equal(duplicateRows([]), null);
    assert.equal(duplicateRows([[1], [2]]), null);
  });

  it('tell NULL from empty text, a number from its text, and exact integers apart', () => {
    assert.equal(
      duplicateRows([[null], [''], [1], ['1'], [{ int: '9007199254740993' }], [{ int: '9007199254740994' }]]),
      null,
    );
    assert.deepEqual(duplicateRows([[null], [null]]), { rows: 1, total: 2 });
  });
});

describe('the actual shape', () => {
  it('takes the kind of a column from its values', () => {
    assert.equal(kindOf(1, 2), 'count');
    assert.equal(kindOf(1, 2.5), 'number');
    assert.equal(kindOf({ int: '9007199254740993' }), 'count');
    assert.equal(kindOf({ real: 'Infinity' }), 'number');
    assert.equal(kindOf('a', 'b'), 'text');
    assert.equal(kindOf('2024-01-31', '2024-02-01 10:20:30'), 'date');
    assert.equal(kindOf('2024-01-31', 'soon'), 'text');
    assert.equal(kindOf('yes', 'No'), 'boolean');
    assert.equal(kindOf({ text: 'caf\uFFFD', invalid: true }), 'text');
  });

  it('says any for mixed kinds, blobs, and columns without values', () => {
    assert.equal(kindOf(1, 'a'), 'any');
    assert.equal(kindOf({ hex: '00', bytes: 1 }), 'any');
    assert.equal(kindOf(null, null), 'any');
    assert.equal(kindOf(), 'any');
  });

  it('lets NULL say nothing', () => assert.equal(kindOf(null, 3), 'count'));
});

describe('expected against actual shape', () => {
  const sentences = (expected: ExpectedShape, cells: JsonCell[], truncated = false) =>
    compareShapes(expected, shapeOf(cells, truncated)).differences;

  it('agrees where rows and kinds fit', () => {
    assert.deepEqual(compareShapes(expecting({ kind: 'one' }, 'count'), shapeOf([3])), {
      agrees: true,
      differences: [],
    });
  });

  it('knows nothing where either side is unknown', () => {
    assert.deepEqual(compareShapes(null, shapeOf([1])), { agrees: null, differences: [] });
    assert.deepEqual(compareShapes(expecting({ kind: 'any' }), null), { agrees: null, differences: [] });
  });

  it('says in a sentence how many rows are missing or too many', () => {
    assert.deepEqual(sentences(expecting({ kind: 'one' }), [1, 2]), ['The question asks for one row; there are 2.']);
    assert.deepEqual(sentences(expecting({ kind: 'one' }), []), ['The question asks for one row; there are none.']);
    assert.deepEqual(sentences(expecting({ kind: 'exactly', n: 3 }), [1]), [
      'The question asks for 3 rows; there is 1.',
    ]);
    assert.deepEqual(sentences(expecting({ kind: 'at_most', n: 1 }), [1, 2]), [
      'The question asks for at most 1 row; there are 2.',
    ]);
    assert.deepEqual(sentences(expecting({ kind: 'one_per', of: 'team' }), []), [
      'The question asks for one row per team; there are none.',
    ]);
    assert.deepEqual(sentences(expecting({ kind: 'at_most', n: 2 }), []), []);
    assert.deepEqual(sentences(expecting({ kind: 'any' }), []), []);
  });

  it('takes the rows of a truncated result as a lower bound', () => {
    assert.deepEqual(sentences(expecting({ kind: 'exactly', n: 2 }), [1, 2], true), [
      'The question asks for 2 rows; there are more than 2.',
    ]);
  });

  it('says which column holds the wrong kind', () => {
    assert.deepEqual(sentences(expecting({ kind: 'any' }, 'text'), [1]), [
      'Column c should hold text; it holds a whole number.',
    ]);
    assert.deepEqual(sentences(expecting({ kind: 'any' }, 'count'), [1.5]), [
      'Column c should hold a whole number; it holds a number.',
    ]);
  });

  it('takes whole numbers for numbers, dates for text, years for dates, 0 and 1 for yes and no', () => {
    assert.deepEqual(sentences(expecting({ kind: 'any' }, 'number'), [1]), []);
    assert.deepEqual(sentences(expecting({ kind: 'any' }, 'text'), ['2024-01-31']), []);
    assert.deepEqual(sentences(expecting({ kind: 'any' }, 'date'), [1999]), []);
    assert.deepEqual(sentences(expecting({ kind: 'any' }, 'boolean'), [0, 1]), []);
    assert.deepEqual(sentences(expecting({ kind: 'any' }, 'any'), ['x']), []);
  });

  it('compares the number of columns before their kinds', () => {
    const actual = actualShape({ columns: ['name', 'count(*)'], rows: [['x', 1]], truncated: false });
    assert.deepEqual(compareShapes(expecting({ kind: 'one' }, 'count'), actual).differences, [
      'The question asks for one column; there are 2 (name, count(*)).',
    ]);
  });

  it('says what was not compared: nothing counts the teams of one row per team', () => {
    const perTeam = expecting({ kind: 'one_per', of: 'team' });
    const actual = shapeOf([1, 2]);
    const { agrees, differences } = compareShapes(perTeam, actual);
    assert.deepEqual([agrees, uncheckedInWords(perTeam)], [true, 'Whether every team has its row was not counted.']);
    assert.equal(uncheckedInWords(expecting({ kind: 'one' })), null);
    const inPanel = (expected: ExpectedShape) =>
      shapesInWords({ duplicates: null, expected, actual, agrees, differences });
    assert.match(
      inPanel(perTeam).actual ?? '',
      /^2 rows with .*\)\. Whether every team has its row was not counted\.$/,
    );
    assert.match(inPanel(expecting({ kind: 'any' })).actual ?? '', /^2 rows with [^.]*$/);
  });

  it('puts an expected shape into words', () => {
    assert.equal(shapeInWords(expecting({ kind: 'one' }, 'count')), 'one row with one column (a whole number)');
    assert.equal(shapeInWords(expecting({ kind: 'exactly', n: 3 })), '3 rows');
    assert.equal(
      shapeInWords({
        source: 'model',
        rows: { kind: 'one_per', of: 'team' },
        columns: [
          { name: 'wins', kind: 'count' },
          { name: null, kind: 'text' },
        ],
      }),
      'one row per team with 2 columns (wins: a whole number; text)',
    );
  });
});
