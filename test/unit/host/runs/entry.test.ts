import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEvent, countOutcomes, entryOfFile, entryOfLine, type RunEntry } from '../../../../src/host/runs/entry.ts';
import type { EvalEvent } from '../../../../src/protocol/eval.ts';
import { itemRecord } from '../../evals/report-runs.ts';
import { evalLine } from '../../ledger/support/entry.ts';
import { config, share } from './support.ts';

const NOW = '2026-11-29T21:30:00.000Z';

function started(changes: Partial<Extract<EvalEvent, { type: 'started' }>> = {}): EvalEvent {
  return { type: 'started', run_id: 'r1', folder: '/results/r1', total: 3, resumed: 0, config, ...changes };
}

function follow(events: EvalEvent[]): RunEntry | null {
  return events.reduce<RunEntry | null>((entry, event) => afterEvent(entry, event, '/results', NOW), null);
}

describe('a run as the Runs view knows it', () => {
  it('lies where the ledger says that its items do', () => {
    const entry = entryOfLine(
      evalLine('r1', { output: { path: 'deep/r1/items.jsonl', sha256: '', bytes: 0 } }),
      '/res',
    );
    assert.equal(entry.folder, join('/res', 'deep', 'r1'));
    assert.equal(entry.state, 'done');
    assert.deepEqual(entry.share, { right: 2, of: 4, low: 0.15, high: 0.85 });
  });

  it('has no share where its headline metric was not measured', () => {
    const { summary } = evalLine('r1');
    const { official_ex: _, ...others } = summary.shares;
    assert.equal(entryOfLine(evalLine('r1', { summary: { ...summary, shares: others } }), '/res').share, null);
  });

  it('is unfinished without a line in the ledger, unless a process works on it', () => {
    const paths = { dataset: 'dev.json', databases: null };
    const file = { version: 1 as const, run_id: 'r1', started: NOW, command: [], paths, config, ids: ['1', '2', '3'] };
    const place = { results: '/results', folder: '/results/r1' };
    const dead = entryOfFile(file, place, { done: 2, isAtWork: false });
    assert.deepEqual([dead.state, dead.done, dead.total, dead.outcomes], ['unfinished', 2, 3, null]);
    assert.equal(entryOfFile(file, place, { done: 2, isAtWork: true }).state, 'elsewhere');
  });

  it('does not exist before it has begun', () => {
    assert.equal(follow([{ type: 'note', text: 'a database is missing' }]), null);
    assert.equal(follow([{ type: 'failed', error: { code: 'x', message: 'y' } }]), null);
  });

  it('goes on with each item', () => {
    const item = (id: string, outcome: 'right' | 'wrong_rows', done: number): EvalEvent => ({
      type: 'item',
      record: itemRecord(id, outcome),
      done,
      total: 3,
      etaMs: 5000,
      share: share(1, done) ?? { right: 0, of: 0, low: 0, high: 1 },
    });
    const entry = follow([started(), item('1', 'right', 1), item('2', 'wrong_rows', 2)]);
    assert.equal(entry?.state, 'running');
    assert.deepEqual([entry?.done, entry?.total, entry?.etaMs], [2, 3, 5000]);
    assert.deepEqual(entry?.outcomes, { right: 1, wrong_rows: 1 });
    assert.equal(entry?.share?.of, 2);
  });

  it('begins with what an earlier part of it has finished', () => {
    const outcomes = {
      right: 2,
      wrong_rows: 1,
      sql_error: 0,
      timeout: 0,
      no_sql: 0,
      provider_error: 0,
      gold_failed: 1,
    };
    const entry = follow([started({ resumed: 4, total: 9, outcomes })]);
    assert.equal(entry?.done, 4);
    assert.deepEqual([entry?.share?.right, entry?.share?.of], [2, 3]);
  });

  it('ends with the numbers of the whole run', () => {
    const { summary } = evalLine('r1');
    const entry = follow([started(), { type: 'ended', state: 'stopped', run_id: 'r1', summary }]);
    assert.deepEqual([entry?.state, entry?.done, entry?.etaMs], ['stopped', 4, null]);
    assert.deepEqual(entry?.outcomes, summary.outcomes);
  });

  it('counts outcomes that came, and no others', () => {
    const records = [itemRecord('1', 'right'), itemRecord('2', 'no_sql'), itemRecord('3', 'right')];
    assert.deepEqual(countOutcomes(records), { right: 2, no_sql: 1 });
  });
});
