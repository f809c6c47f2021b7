import assert from 'node:assert/strict';
import { isAnswered, outcomeOf } from '../../../src/core/evals/outcome.ts';
import type { Verdict } from '../../../src/protocol/score.ts';

const RIGHT: Verdict = {
  id: 'a',
  official_ex: true,
  strict_ex: false,
  reason: 'duplicates_only',
  gold_status: 'ok',
  pred_status: 'ok',
  ms: 1,
};
const WRONG = { ...RIGHT, official_ex: false, reason: 'row_values' } as const;
const ANSWER = { sql: 'SELECT 1', stop: 'final' } as const;

describe('the outcome of an item', () => {
  for (const [what, outcome, answer, verdict] of [
    ['an answer that passes', 'right', ANSWER, RIGHT],
    ['an answer that fails', 'wrong_rows', ANSWER, WRONG],
    ['an answer too large to be compared', 'wrong_rows', ANSWER, { ...WRONG, reason: 'truncated' }],
    ['an answer that SQLite refuses', 'sql_error', ANSWER, { ...WRONG, pred_status: 'error' }],
    ['an answer that the sandbox refuses', 'sql_error', ANSWER, { ...WRONG, pred_status: 'rejected' }],
    ['an answer that needs too much memory', 'sql_error', ANSWER, { ...WRONG, pred_status: 'oom' }],
    ['an answer that takes too long', 'timeout', ANSWER, { ...WRONG, pred_status: 'timeout' }],
    ['an answer that takes too long together with its gold', 'timeout', ANSWER, { ...WRONG, reason: 'timeout' }],
    ['no SQL', 'no_sql', { sql: null, stop: 'no_sql' }, { ...WRONG, pred_status: 'error' }],
    ['a provider that fails', 'provider_error', { sql: null, stop: 'provider_error' }, WRONG],
    ['a provider that fails at a retry', 'provider_error', { sql: 'SELECT 1', stop: 'provider_error' }, WRONG],
    ['a gold that fails', 'gold_failed', ANSWER, { ...WRONG, gold_status: 'error', reason: 'gold_failed' }],
    [
      'a gold that fails where nobody asked',
      'gold_failed',
      { sql: null, stop: 'no_sql' },
      { ...WRONG, gold_status: 'timeout' },
    ],
  ] as const)
    it(`of ${what} is ${outcome}`, () => assert.equal(outcomeOf(answer, verdict, 'official_ex'), outcome));

  it('is by the metric of the run', () => {
    assert.equal(outcomeOf(ANSWER, RIGHT, 'strict_ex'), 'wrong_rows');
  });

  it('judges no query that was not meant as the answer', () => {
    assert.equal(isAnswered(ANSWER), true);
    assert.equal(isAnswered({ sql: 'SELECT 1', stop: 'budget' }), true);
    assert.equal(isAnswered({ sql: 'SELECT 1', stop: 'provider_error' }), false);
    assert.equal(isAnswered({ sql: null, stop: 'no_sql' }), false);
  });
});
