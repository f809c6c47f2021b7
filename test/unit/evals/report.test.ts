import assert from 'node:assert/strict';
import { reportOf } from '../../../src/core/evals/report/run-report.ts';
import type { ItemRecord } from '../../../src/protocol/eval.ts';
import { finishedRun, itemRecord } from './report-runs.ts';

function report(records: ItemRecord[]) {
  const { line } = finishedRun('run', records);
  return reportOf(line, records);
}

describe('report of a run', () => {
  it('gives the share of each metric with the headline first, and counts answers credited anyway', () => {
    const credited = itemRecord('c', 'right');
    const records = [
      itemRecord('a', 'right'),
      itemRecord('b', 'wrong_rows'),
      { ...credited, verdict: { ...credited.verdict, strict_ex: false, reason: 'duplicates_only' as const } },
      itemRecord('d', 'gold_failed'),
    ];
    const found = report(records);
    assert.deepEqual(
      found.shares.map(({ metric, share }) => [metric, share.right, share.of]),
      [
        ['official_ex', 2, 3],
        ['strict_ex', 1, 3],
        ['spider_ex', 2, 3],
      ],
    );
    assert.equal(found.official_not_strict, 1);
    assert.deepEqual(found.items, { chosen: 4, done: 4, judged: 3, gold_failed: 1 });
    assert.deepEqual(found.notes, ['1 item whose gold query fails: left out of every share.']);
  });

  it('counts outcomes, reasons and kinds of errors; messages that differ in names are one kind', () => {
    const failed = (id: string, message: string) => itemRecord(id, 'sql_error', { code: 'SQLITE_ERROR', message });
    const found = report([
      failed('a', 'no such column: T1.a'),
      failed('b', 'no such column: T2.b'),
      failed('c', 'near "FROM": syntax error'),
      itemRecord('d', 'timeout'),
      itemRecord('e', 'no_sql'),
      itemRecord('f', 'wrong_rows'),
      itemRecord('g', 'gold_failed'),
    ]);
    assert.deepEqual(found.errors, [
      { kind: 'SQLITE_ERROR: no such column', items: 2 },
      { kind: 'SQLITE_ERROR: syntax error', items: 1 },
      { kind: 'deadline', items: 1 },
      { kind: 'no_sql', items: 1 },
    ]);
    assert.deepEqual(found.reasons, [
      { kind: 'pred_failed', items: 4 },
      { kind: 'row_values', items: 1 },
      { kind: 'timeout', items: 1 },
    ]);
    assert.equal(found.outcomes.find(({ outcome }) => outcome === 'sql_error')?.items, 3);
    assert.deepEqual(
      found.failing.map(({ id }) => id),
      ['a', 'b', 'c', 'd', 'e', 'f'],
    );
  });

  it('gives linking recall, precision and tables kept, and how often answers are right with and without all tables', () => {
    const linked = (kept: string[], left: string[]): ItemRecord['linked'] => ({
      mode: 'linked',
      kept,
      left,
      scores: {},
    });
    const { linking } = report([
      itemRecord('a', 'right', { linked: linked(['x', 'y', 'z'], ['w']), needed: ['x', 'y'] }),
      itemRecord('b', 'wrong_rows', { linked: linked(['x'], ['y', 'z', 'w']), needed: ['x', 'w'] }),
    ]);
    assert.ok(linking);
    assert.equal(linking.all_kept.right, 1);
    assert.equal(linking.all_kept.of, 2);
    assert.equal(linking.recall, 3 / 4);
    assert.equal(linking.precision, 3 / 4);
    assert.equal(linking.mean_kept, 2);
    assert.deepEqual([linking.right_when_kept.right, linking.right_when_kept.of], [1, 1]);
    assert.deepEqual([linking.right_when_missing.right, linking.right_when_missing.of], [0, 1]);
  });

  it('gives times as median, 95th percentile, longest, and in steps of 1, 2, 5', () => {
    const times = [0.4, 3, 120, 150, 199, 200, 999, 1000, 45_000];
    const { time } = report(times.map((ms, index) => itemRecord(`q${index}`, 'right', { ms })));
    assert.equal(time.median_ms, 199);
    assert.equal(time.longest_ms, 45_000);
    assert.ok(Math.abs((time.p95_ms ?? 0) - 27_400) < 1e-6);
    const filled = time.histogram.filter(({ items }) => items > 0);
    assert.deepEqual(
      filled.map(({ from_ms, to_ms, items }) => [from_ms, to_ms, items]),
      [
        [0, 1, 1],
        [2, 5, 1],
        [100, 200, 3],
        [200, 500, 1],
        [500, 1000, 1],
        [1000, 2000, 1],
        [20_000, 50_000, 1],
      ],
    );
    const ends = time.histogram.map(({ to_ms }) => to_ms);
    assert.deepEqual(
      time.histogram.slice(1).map(({ from_ms }) => from_ms),
      ends.slice(0, -1),
    );
  });

  it('counts items by their turns', () => {
    const [one] = itemRecord('a', 'right').turns;
    assert.ok(one);
    const found = report([
      itemRecord('a', 'right', { turns: [one] }),
      itemRecord('b', 'wrong_rows', { turns: [one, one, one] }),
      itemRecord('c', 'no_sql', { turns: [] }),
    ]);
    assert.deepEqual(
      found.turns.counts.map(({ turns, items, right }) => [turns, items, right.right]),
      [
        [0, 1, 0],
        [1, 1, 1],
        [3, 1, 0],
      ],
    );
    assert.equal(found.turns.total, 4);
  });

  it('is defined for a run in which nothing is finished', () => {
    const found = report([]);
    assert.equal(found.time.median_ms, null);
    assert.deepEqual(found.time.histogram, []);
    assert.deepEqual(found.by_database, []);
    assert.equal(found.linking, null);
  });

  it('says when the run was stopped, and when the folder holds other items than the ledger counts', () => {
    const records = [itemRecord('a', 'right'), itemRecord('b', 'right')];
    const { line } = finishedRun('run', records);
    const stopped = { ...line, state: 'stopped' as const, summary: { ...line.summary, items: 9 } };
    assert.match(reportOf(stopped, records).notes.join(' '), /stopped after 2 of 9 items/);
    assert.match(reportOf(line, records.slice(1)).notes.join(' '), /counts 2 finished items .* has 1/);
  });
});
