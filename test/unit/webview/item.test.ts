import assert from 'node:assert/strict';
import { beforeRows } from '../../../src/host/runs/item-state.ts';
import type { ItemRecord } from '../../../src/protocol/eval.ts';
import type { Outcome } from '../../../src/protocol/ledger.ts';
import { announcement, metricFacts, whyInWords } from '../../../webview-ui/item/words.ts';
import { itemRecord } from '../evals/report-runs.ts';
import { runOn } from '../host/runs/support.ts';

function stateOf(outcome: Outcome, changes: Partial<ItemRecord> = {}) {
  const record = itemRecord('q1', outcome, changes);
  return beforeRows(runOn(1, 'r1'), record, [record]);
}

describe('words of the item panel', () => {
  it('give the reason of an answer that is wrong', () => {
    assert.equal(whyInWords(stateOf('wrong_rows')), 'The results have as many rows, but other values.');
    assert.equal(whyInWords(stateOf('no_sql')), 'The model wrote no SQL.');
    assert.equal(whyInWords(stateOf('provider_error')), 'The model failed: The server does not answer.');
    assert.match(whyInWords(stateOf('gold_failed')), /not judged/);
  });

  it('give the reason of an answer that is right by the headline alone', () => {
    const { verdict } = itemRecord('q1', 'right');
    const state = stateOf('right', { verdict: { ...verdict, strict_ex: false, reason: 'duplicates_only' } });
    assert.match(whyInWords(state), /another number of times\. Under official EX it is right all the same\.$/);
    assert.equal(whyInWords(stateOf('right')), '');
  });

  it('tell every metric that was asked for, in words', () => {
    const { verdict } = itemRecord('q1', 'wrong_rows');
    const facts = metricFacts({ ...verdict, spider_ex: true, soft_f1: 0.4167, r_ves: null });
    assert.deepEqual(
      facts.map(({ name, value }) => `${name} ${value}`),
      ['official EX wrong', 'strict EX wrong', 'Spider EX right', 'soft F1 0.42', 'R-VES not judged'],
    );
  });

  it('tell a screen reader of another item, and of its rows when they come', () => {
    const state = stateOf('wrong_rows');
    const difference = {
      missing: 1,
      extra: 0,
      recounted: 0,
      moved: 0,
      ordered: false,
      partial: false,
      goldColumns: 1,
      predColumns: 1,
    };
    assert.equal(announcement(null, state), 'Wrong rows: How many of q1?');
    assert.equal(announcement(state, { ...state, difference }), '1 row missing.');
    assert.equal(announcement(null, { ...state, difference }), 'Wrong rows: How many of q1? 1 row missing.');
    assert.equal(announcement({ ...state, difference }, { ...state, difference }), '');
  });
});
