import assert from 'node:assert/strict';
import { IndexedScan, ValueIndex, valueIndexOf } from '../../../src/core/schema/value-index.ts';
import type { ColumnValues } from '../../../src/protocol/catalog.ts';

function column(name: string, values: string[] | null): ColumnValues {
  return { table: 't', column: name, values, nonNull: null };
}

function found(values: string[], text: string): string[] {
  const hits = new ValueIndex([column('c', values)]).find(text).get(0) ?? [];
  return hits.map(({ value }) => value).sort();
}

describe('the value index', () => {
  it('finds values as contiguous whole words, in any case', () => {
    const values = ['New York', 'York', 'new', 'York New', 'or', 'Yorkshire'];
    assert.deepEqual(found(values, 'Who lives in NEW YORK, or near it?'), ['New York', 'York', 'new']);
  });

  it('folds case fully in the values and in the text', () => {
    assert.deepEqual(found(['Straße', 'ΟΔΟΣ'], 'die STRASSE, η οδος'), ['Straße', 'ΟΔΟΣ']);
  });

  it('takes punctuation, underscores and white space alike', () => {
    assert.deepEqual(found(["O'Neil-Smith", 'snake_case'], 'o neil\tsmith wrote SNAKE CASE'), [
      "O'Neil-Smith",
      'snake_case',
    ]);
  });

  it('leaves out what says too little: one letter, stop words alone, fewer than three digits', () => {
    assert.deepEqual(found(['B', 'the', 'how many', '12', '1 2', '٤٢'], 'B the how many 12 1 2 ٤٢'), []);
    assert.deepEqual(found(['B2', 'the who', 'the B', '123', '1 23'], 'B2 the who the B 123 1 23'), [
      '1 23',
      '123',
      'B2',
      'the B',
    ]);
  });

  it('leaves out values of more than 60 characters, counted in code points', () => {
    const sixty = `${'😀'.repeat(50)} smile fac`;
    assert.deepEqual(found([sixty, `${sixty}x`], 'smile fac smile facx'), [sixty]);
  });

  it('finds values of many words, longer than the runs that it looks up', () => {
    const long = 'a b c d e f g h i j k l m n o p q r s t u v w x y z';
    assert.deepEqual(found([long, `${long} 1`], `say ${long} again`), [long]);
  });

  it('finds nothing for values without words and in texts without words', () => {
    assert.deepEqual(found(['---', '😀', ''], '--- 😀'), []);
    assert.deepEqual(found(['abc'], ''), []);
  });

  it('names the column by its place in the scan and passes over columns without values', () => {
    const index = new ValueIndex([
      column('a', null),
      column('b', ['Rock']),
      column('c', []),
      column('d', ['Rock', 'ROCK']),
    ]);
    const hits = index.find('rock music');
    assert.deepEqual([...hits.keys()], [1, 3]);
    assert.deepEqual(hits.get(3), [
      { value: 'Rock', words: 'rock' },
      { value: 'ROCK', words: 'rock' },
    ]);
  });

  it('gives the same answer when it is asked again', () => {
    const index = new ValueIndex([column('a', ['the', 'Rock', 'Rock and Roll'])]);
    const first = index.find('the rock and roll');
    assert.deepEqual(index.find('the rock and roll'), first);
    assert.equal(first.get(0)?.length, 2);
  });

  it('is made once for an indexed scan', () => {
    const scan = new IndexedScan({ columns: [column('a', ['Rock'])], skipped: ['t.b'] });
    assert.equal(valueIndexOf(scan), valueIndexOf(scan));
    assert.deepEqual(scan.skipped, ['t.b']);
  });
});
