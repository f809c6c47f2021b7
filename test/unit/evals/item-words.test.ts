import assert from 'node:assert/strict';
import { diffInWords, failureInWords, itemInWords } from '../../../src/core/evals/item-words.ts';
import { diffRows } from '../../../src/core/score/row-diff.ts';
import type { Outcome } from '../../../src/protocol/ledger.ts';
import type { Cell } from '../../../src/protocol/value.ts';
import { itemRecord } from './report-runs.ts';

function diff(gold: Cell[][], pred: Cell[][], ordered = false) {
  const columns = (rows: Cell[][]) => (rows[0] ?? ['']).map((_, index) => `c${index}`);
  const options = { ordered, maxRows: 20, maxBytes: 2048 };
  return diffRows({ columns: columns(gold), rows: gold }, { columns: columns(pred), rows: pred }, options);
}
const rows = (...names: string[]) => names.map((name) => [name]);

describe('why an item is not right, in one line', () => {
  it('counts the rows that are missing and extra, and names the reason', () => {
    const record = itemRecord('q', 'wrong_rows', { diff: diff(rows('a', 'b', 'c', 'd'), rows('d', 'x')) });
    assert.equal(failureInWords(record, 'official_ex'), '3 rows missing, 1 extra of 4 (row_values)');
  });

  it('has words for every way in which rows differ', () => {
    assert.equal(diffInWords(diff(rows('a', 'b'), rows('a'))), '1 row missing of 2');
    assert.equal(diffInWords(diff(rows('a'), rows('a', 'b', 'c'))), '2 rows extra of 1');
    assert.equal(diffInWords(diff(rows('a'), rows('a', 'a'))), '1 row repeated too often or too seldom');
    assert.equal(diffInWords(diff(rows('a', 'b'), [])), 'no rows instead of 2');
    assert.equal(diffInWords(diff(rows('a', 'b'), rows('b', 'a'), true)), '2 rows in another order');
    assert.equal(diffInWords(diff([['a', 1]], [['a']])), '1 column instead of 2');
  });

  it('says what failed, in the words of the database or the model', () => {
    const line = (outcome: Outcome, message?: string) =>
      failureInWords(itemRecord('q', outcome, message === undefined ? {} : { message }), 'official_ex');
    assert.equal(line('sql_error'), 'SQL error: no such column: T1.colour (SQLITE_ERROR)');
    assert.equal(line('timeout'), 'Timeout: The query took longer than 30 s.');
    assert.equal(line('no_sql'), 'No SQL: The model gave no SQL.');
    assert.equal(line('provider_error', 'Down.\nat line 1'), 'The model failed: Down. (server_down)');
    assert.equal(line('gold_failed'), 'The gold query fails: error');
  });

  it('explains what one metric alone sees', () => {
    const record = itemRecord('q', 'wrong_rows');
    const rounded = { ...record, verdict: { ...record.verdict, reason: null } };
    assert.match(failureInWords(rounded, 'official_ex'), /^Wrong rows under official_ex \(equal under strict_ex/);
  });
});

describe('an item in words', () => {
  it('has question, evidence, both queries and the hints', () => {
    const record = itemRecord('q', 'wrong_rows', {
      evidence: 'count all',
      signals: {
        duplicates: { rows: 2, total: 9 },
        expected: null,
        actual: null,
        agrees: false,
        differences: ['It should have one row.'],
      },
    });
    const text = itemInWords(record, 'official_ex');
    for (const part of [
      'q · shop · wrong rows\n',
      'question:  How many of q?\n',
      'evidence:  count all\n',
      "predicted: SELECT count(*) FROM item WHERE name = 'q'\n",
      "gold:      SELECT count(*) FROM item WHERE id = 'q'\n",
      'hint:      2 of 9 rows are equal to an earlier one\n',
      'hint:      It should have one row.\n',
    ])
      assert.ok(text.includes(part), part);
  });
});
