import assert from 'node:assert/strict';
import { tableText, uniqueNames } from '../../../../src/host/ask/export.ts';
import type { JsonCell } from '../../../../src/protocol/value.ts';

const COLUMNS = ['id', 'name', 'name'];
const ROWS: JsonCell[][] = [
  [{ int: '9007199254740993' }, 'a "b"', null],
  [1, '', { hex: 'cafe', bytes: 2 }],
];

describe('copying a result', () => {
  it('as CSV keeps NULL apart from the empty text', () => {
    assert.equal(tableText(COLUMNS, ROWS, 'csv'), 'id,name,name\r\n9007199254740993,"a ""b""",\r\n1,"",cafe');
  });

  it('as TSV goes into spreadsheets', () => {
    assert.equal(tableText(COLUMNS, ROWS, 'tsv'), 'id\tname\tname\n9007199254740993\t"a ""b"""\t\n1\t""\tcafe');
  });

  it('as JSON keeps every digit and every column', () => {
    const text = tableText(COLUMNS, ROWS, 'json');
    assert.ok(text.includes('"id": 9007199254740993,'));
    assert.deepEqual(JSON.parse(text)[1], { id: 1, name: '', name_2: 'cafe' });
    assert.equal(tableText(COLUMNS, [], 'json'), '[]\n');
  });

  it('gives repeated names numbers that are not taken', () => {
    assert.deepEqual(uniqueNames(['a', 'a', 'a_2', 'a', '']), ['a', 'a_3', 'a_2', 'a_4', '']);
  });
});
