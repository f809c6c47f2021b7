import assert from 'node:assert/strict';
import { renderTable } from '../../../src/cli/table.ts';
import { displayWidth } from '../../../src/core/text/cells.ts';

const lines = (...rows: string[]) => rows.join('\n');

describe('table of a result', () => {
  it('shows names, a rule and the rows, numbers to the right', () => {
    assert.equal(
      renderTable(
        ['name', 'n'],
        [
          ['a', 1],
          ['bcdef', 20],
        ],
        80,
      ),
      lines('name    n', '─────  ──', 'a       1', 'bcdef  20'),
    );
  });

  it('shows the names where there are no rows', () => {
    assert.equal(renderTable(['a', 'b'], [], 80), lines('a  b', '─  ─'));
  });

  it('tells NULL from an empty text and from the word', () => {
    assert.equal(renderTable(['a'], [[null], [''], ['NULL']], 80), lines('a', '────', '∅', '', 'NULL'));
  });

  it('shows large integers exactly, infinities, blobs, cut and invalid texts', () => {
    const rows = [
      [{ int: '9223372036854775807' }],
      [{ real: 'Infinity' as const }],
      [{ hex: '00ff', bytes: 2 }],
      [{ hex: '00', bytes: 5000 }],
      [{ text: 'abc', chars: 5000 }],
      [{ text: 'a\uFFFD', invalid: true as const }],
    ];
    assert.equal(
      renderTable(['a'], rows, 80),
      lines(
        'a',
        '─'.repeat(22),
        '9223372036854775807',
        'Infinity',
        "x'00ff' (2 bytes)",
        "x'00…' (5000 bytes)",
        'abc… (5000 characters)',
        'a\uFFFD (not UTF-8)',
      ),
    );
  });

  it('lets no value break the table or steer the terminal', () => {
    const table = renderTable(['a\nb'], [['x\ny\t\u001b[31mred\u0007\u202e']], 80);
    assert.equal(table.split('\n').length, 3);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    assert.ok(!/[\u0000-\u0009\u000b-\u001f\u202e]/.test(table));
    assert.match(table, /x↵y␉␛\[31mred␇/);
  });

  it('takes wide characters as two columns and marks as none', () => {
    assert.equal(displayWidth('日本'), 4);
    assert.equal(displayWidth('e\u0301'), 1);
    assert.equal(displayWidth('👩‍👩‍👧'), 2);
    assert.equal(displayWidth('🇩🇪'), 2);
    assert.equal(
      renderTable(
        ['名', 'x'],
        [
          ['日本', 'a'],
          ['b', 'c'],
        ],
        80,
      ),
      lines('名    x', '────  ─', '日本  a', 'b     c'),
    );
  });

  it('clips the widest cells to the width of the terminal', () => {
    const table = renderTable(['id', 'one', 'two'], [[1, 'x'.repeat(50), '日'.repeat(30)]], 40);
    for (const line of table.split('\n')) assert.ok(displayWidth(line) <= 40, line);
    assert.match(table, /1 {2}x+… {2}日+…/);
  });

  it('names the columns that do not fit', () => {
    const columns = Array.from({ length: 30 }, (_, index) => `column${index}`);
    const table = renderTable(columns, [columns.map(() => 'some text')], 60);
    const shown = table.split('\n');
    for (const line of shown.slice(0, 3)) assert.ok(displayWidth(line) <= 60, line);
    assert.match(shown.at(-1) ?? '', /^\(\d+ more columns do not fit: column\d+.*column29\)$/);
  });

  it('never shows a cell wider than 60 columns', () => {
    const table = renderTable(['a'], [['x'.repeat(500)]], 1000);
    assert.equal(displayWidth(table.split('\n')[2] ?? ''), 60);
  });
});
