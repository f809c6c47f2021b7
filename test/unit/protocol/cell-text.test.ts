import assert from 'node:assert/strict';
import { cellText, toSeparated } from '../../../src/protocol/cell-text.ts';

describe('cells as text', () => {
  it('is exact for every kind of value', () => {
    assert.equal(cellText({ int: '9223372036854775807' }), '9223372036854775807');
    assert.equal(cellText(0.1), '0.1');
    assert.equal(cellText({ real: 'Infinity' }), 'Infinity');
    assert.equal(cellText({ hex: '00ff', bytes: 2 }), '00ff');
    assert.equal(cellText({ text: 'a\ufffd', invalid: true }), 'a\ufffd');
    assert.equal(cellText(null), null);
  });
});

describe('rows as separated values', () => {
  it('quotes what needs quotes and keeps NULL apart from the empty text', () => {
    const text = toSeparated(
      ['a', 'b,c'],
      [
        [null, ''],
        ['x"y', 'line\nbreak'],
        [1, 'plain'],
      ],
      ',',
    );
    assert.equal(text, 'a,"b,c"\r\n,""\r\n"x""y","line\nbreak"\r\n1,plain');
  });

  it('separates by tabs and line feeds for spreadsheets', () => {
    assert.equal(toSeparated(null, [['a,b', 'c\td']], '\t'), 'a,b\t"c\td"');
    assert.equal(toSeparated(['x'], [], '\t'), 'x');
  });
});
