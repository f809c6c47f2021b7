import assert from 'node:assert/strict';
import { areApart, change, editsOf, RANKS, replay } from '../../../src/core/diagnose/repair/change.ts';

const SQL = 'SELECT a, b FROM t';

function at(offset: number, length: number, after: string, rank: number = RANKS.other) {
  return change({ kind: 'column', range: { offset, length }, after, rank });
}

describe('edits of a repair', () => {
  it('replay on the unedited text, whatever order they were found in', () => {
    const edits = editsOf(SQL, [at(17, 1, 'u'), at(7, 1, 'longer')]);
    assert.deepEqual(
      edits.map(({ range, before, after }) => [range.offset, before, after]),
      [
        [7, 'a', 'longer'],
        [17, 't', 'u'],
      ],
    );
    assert.equal(replay(SQL, edits), 'SELECT longer, b FROM u');
  });

  it('put clauses that are added at one place into the order of SQL', () => {
    const end = SQL.length;
    const limit = at(end, 0, ' LIMIT 1', RANKS.limit);
    const where = at(end, 0, ' WHERE x', RANKS.where);
    assert.equal(replay(SQL, editsOf(SQL, [limit, where])), 'SELECT a, b FROM t WHERE x LIMIT 1');
  });

  it('go together only where they touch no text in common', () => {
    assert.ok(areApart([at(7, 1, 'x'), at(8, 3, '')]));
    assert.ok(!areApart([at(7, 4, 'x'), at(10, 1, 'y')]));
    assert.ok(!areApart([at(7, 4, 'x'), at(8, 0, 'y')]));
    assert.ok(areApart([at(7, 0, 'DISTINCT '), at(7, 1, 'x')]), 'an insertion stands before what is replaced');
    assert.ok(!areApart([at(18, 0, ' LIMIT 1', RANKS.limit), at(18, 0, ' LIMIT 2', RANKS.limit)]));
  });

  it('are refused where they do not fit the text', () => {
    const [edit] = editsOf(SQL, [at(7, 1, 'x')]);
    assert.ok(edit);
    assert.throws(() => replay('SELECT c FROM t', [edit]), RangeError);
    assert.throws(() => replay(SQL, [edit, edit]), RangeError);
  });

  it('say in a sentence what should be otherwise, added or left out', () => {
    const sentences = editsOf(SQL, [at(7, 1, 'max(a)'), at(8, 3, ''), at(18, 0, ' LIMIT 1')]).map(
      (edit) => edit.sentence,
    );
    assert.deepEqual(sentences, ['a should be max(a)', 'b should be left out', 'LIMIT 1 should be added']);
  });

  it('carry the line and column of their place', () => {
    const [edit] = editsOf('SELECT a\nFROM t', [at(14, 1, 'u')]);
    assert.deepEqual(edit?.range, { offset: 14, length: 1, line: 2, column: 6 });
  });
});
