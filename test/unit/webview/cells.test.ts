import assert from 'node:assert/strict';
import type { JsonCell } from '../../../src/protocol/value.ts';
import { isCut, kindOf, viewOf } from '../../../webview-ui/shared/cells.ts';

describe('the look of a cell', () => {
  it('tells NULL, the empty text and the word NULL apart', () => {
    assert.deepEqual(viewOf(null), { text: 'NULL', look: 'null', flag: null });
    assert.deepEqual(viewOf(''), { text: '', look: 'empty', flag: null });
    assert.deepEqual(viewOf('NULL'), { text: 'NULL', look: 'text', flag: null });
  });

  it('writes integers beyond 2^53 with every digit', () => {
    assert.equal(viewOf({ int: '9007199254740993' }).text, '9007199254740993');
    assert.equal(viewOf({ int: '-9223372036854775808' }).look, 'number');
  });

  it('writes reals that JSON has no number for', () => {
    assert.equal(viewOf({ real: '-Infinity' }).text, '-Infinity');
    assert.equal(viewOf(-0).text, '-0.0');
  });

  it('writes a blob in hexadecimal, its first bytes and its size', () => {
    assert.equal(viewOf({ hex: '89504e47', bytes: 4 }).text, "x'89504e47' 4 B");
    assert.equal(viewOf({ hex: 'ab'.repeat(4000), bytes: 40_000 }).text, `x'${'ab'.repeat(16)}…' 39 KB`);
  });

  it('flags text whose bytes were not UTF-8', () => {
    assert.deepEqual(viewOf({ text: 'A\ufffdB', invalid: true }), {
      text: 'A\ufffdB',
      look: 'text',
      flag: 'not UTF-8',
    });
    assert.equal(viewOf({ text: '', invalid: true }).look, 'text');
  });

  it('shows line breaks, tabs and control characters as signs on one line', () => {
    assert.equal(viewOf('a\r\nb\nc\td\u0000e\u007f').text, 'a↵b↵c⇥d␀e␡');
  });

  it('shows signs that turn the direction of writing, so that no value looks like another', () => {
    assert.equal(viewOf('user\u202excod.exe').text, 'user\ufffdxcod.exe');
    assert.equal(viewOf('שלום').text, 'שלום');
  });

  it('cuts long text with an ellipsis', () => {
    const { text } = viewOf('x'.repeat(5000));
    assert.equal(text.length, 257);
    assert.ok(text.endsWith('…'));
  });

  it('knows which cells were cut on their way', () => {
    const cut: JsonCell[] = [
      { hex: 'ab', bytes: 2 },
      { text: 'abc', chars: 10 },
    ];
    const whole: JsonCell[] = [
      { hex: 'ab', bytes: 1 },
      { text: 'a\ufffd', invalid: true },
      'abc',
      null,
      1,
      { int: '1' },
    ];
    assert.deepEqual(cut.map(isCut), [true, true]);
    assert.deepEqual(
      whole.map(isCut),
      whole.map(() => false),
    );
  });

  it('says in words what a cell is', () => {
    const cells: JsonCell[] = [null, 3, 0.5, { int: '9007199254740993' }, '', 'é👍', { hex: '', bytes: 2048 }];
    assert.deepEqual(cells.map(kindOf), [
      'NULL',
      'whole number',
      'real number',
      'whole number',
      'empty text',
      'text, 2 characters',
      'blob, 2.0 KB',
    ]);
    assert.equal(kindOf({ text: 'ab', chars: 12_017 }), 'text, 12,017 characters');
    assert.equal(kindOf({ text: '\ufffd', invalid: true }), 'text that is not UTF-8, 1 character');
  });
});
