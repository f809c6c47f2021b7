import assert from 'node:assert/strict';
import { compareRuns } from '../../../src/core/evals/compare.ts';
import type { Flip } from '../../../src/protocol/compare.ts';
import { pEquation, rate } from '../../../src/protocol/figures.ts';
import { filterFlips, flipsOf } from '../../../webview-ui/compare/flips.ts';
import { answerInWords, intervalInWords, pointsInWords } from '../../../webview-ui/compare/words.ts';
import { finishedRun, itemRecord } from '../evals/report-runs.ts';

const records = (outcomes: Record<string, 'right' | 'wrong_rows'>) =>
  Object.entries(outcomes).map(([id, outcome]) => itemRecord(id, outcome, { db_id: `db-${id}`, difficulty: 'simple' }));

describe('the flips of a comparison', () => {
  const before = finishedRun(
    'a',
    records({ artists: 'right', albums: 'wrong_rows', genres: 'wrong_rows', both: 'right' }),
  );
  const after = finishedRun('b', records({ artists: 'wrong_rows', albums: 'right', genres: 'right', both: 'right' }));
  const flips = flipsOf(compareRuns(before, after));
  const ids = (list: readonly Flip[]) => list.map(({ id }) => id);

  it('begin with what was lost', () => {
    assert.deepEqual(ids(flips), ['artists', 'albums', 'genres']);
    assert.deepEqual(
      flips.map(({ side }) => side),
      ['lost', 'gained', 'gained'],
    );
  });

  it('are filtered by side and by words, all of which must occur', () => {
    assert.deepEqual(ids(filterFlips(flips, { text: '', side: 'gained' })), ['albums', 'genres']);
    assert.deepEqual(ids(filterFlips(flips, { text: 'HOW albums', side: 'all' })), ['albums']);
    assert.deepEqual(ids(filterFlips(flips, { text: 'db-genres simple', side: 'all' })), ['genres']);
    assert.deepEqual(ids(filterFlips(flips, { text: 'albums genres', side: 'all' })), []);
  });
});

describe('words of the comparison', () => {
  it('give shares and their intervals in percents', () => {
    const share = { right: 3, of: 8, low: 0.137, high: 0.694 };
    assert.deepEqual([rate(share), intervalInWords(share)], ['37.5 %', '13.7 to 69.4 %']);
    assert.equal(rate({ right: 0, of: 0 }), '–');
  });

  it('give differences in points with their sign', () => {
    assert.deepEqual([0.125, -0.004, 0.0001, -0.0001].map(pointsInWords), ['+12.5', '−0.4', '0.0', '0.0']);
  });

  it('give p values with two digits that count', () => {
    assert.deepEqual([1, 0.034, 0.0049, 0.0004].map(pEquation), ['p = 1.00', 'p = 0.034', 'p = 0.0049', 'p < 0.001']);
  });

  it('say why an answer is wrong', () => {
    assert.equal(
      answerInWords({ sql: '', outcome: 'wrong_rows', reason: 'row_order' }).startsWith('the same rows'),
      true,
    );
    assert.equal(answerInWords({ sql: null, outcome: 'no_sql', reason: 'pred_failed' }), 'no sql');
  });
});
