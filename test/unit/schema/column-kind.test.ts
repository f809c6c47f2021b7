import assert from 'node:assert/strict';
import { columnKind, holdsText } from '../../../src/core/schema/column-kind.ts';

describe('the kind of a column', () => {
  const kinds: [string, string][] = [
    ['DATETIME', 'datetime'],
    ['timestamp with time zone', 'datetime'],
    ['date', 'date'],
    ['Text Date', 'date'],
    ['BOOLEAN', 'boolean'],
    ['bigint', 'integer'],
    ['FLOATING POINT', 'integer'],
    ['CHARINT', 'integer'],
    ['NVARCHAR(160)', 'text'],
    ['clob', 'text'],
    ['BLOB', 'blob'],
    ['double precision', 'real'],
    ['DECIMAL(10,2)', 'numeric'],
    ['json', 'numeric'],
    ['', 'numeric'],
  ];
  for (const [declared, kind] of kinds)
    it(`is ${kind} for the declared type "${declared}"`, () => {
      assert.equal(columnKind(declared), kind);
    });

  it('tells which columns are searched for text', () => {
    assert.ok(holdsText('numeric'));
    assert.ok(holdsText('date'));
    assert.ok(!holdsText('integer'));
    assert.ok(!holdsText('blob'));
    assert.ok(!holdsText('real'));
  });
});
