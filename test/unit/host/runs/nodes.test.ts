import assert from 'node:assert/strict';
import { runIdOf } from '../../../../src/host/runs/argument.ts';
import { belowOutcome, belowRange, outcomeNodes, type RunNode } from '../../../../src/host/runs/nodes.ts';
import { itemRecord } from '../../evals/report-runs.ts';
import { runOn } from './support.ts';

const run = runOn(1, 'r1');
const idsOf = (nodes: RunNode[]) => nodes.map((node) => (node.kind === 'item' ? node.record.id : node.kind));

describe('what stands below a run', () => {
  it('is what came of its items, what went wrong first', () => {
    const nodes = outcomeNodes(run, { right: 5, sql_error: 2, timeout: 0, wrong_rows: 1 });
    assert.deepEqual(
      nodes.map((node) => node.kind === 'outcome' && [node.outcome, node.count]),
      [
        ['wrong_rows', 1],
        ['sql_error', 2],
        ['right', 5],
      ],
    );
  });

  it('is the items of an outcome', () => {
    const records = [itemRecord('1', 'right'), itemRecord('2', 'no_sql'), itemRecord('3', 'right')];
    assert.deepEqual(idsOf(belowOutcome(run, 'right', records)), ['1', '3']);
  });

  it('is ranges of a hundred where the items are more', () => {
    const records = Array.from({ length: 250 }, (_, index) =>
      itemRecord(String(index), index === 0 ? 'no_sql' : 'right'),
    );
    const ranges = belowOutcome(run, 'right', records);
    assert.deepEqual(
      ranges.map((node) => node.kind === 'range' && [node.first, node.last]),
      [
        [1, 100],
        [101, 200],
        [201, 249],
      ],
    );
    const [, , last] = ranges;
    assert.ok(last?.kind === 'range');
    const below = idsOf(belowRange(last, records));
    assert.deepEqual([below.length, below[0], below.at(-1)], [49, '201', '249']);
  });
});

describe('the run that a command means', () => {
  it('is named by an id or by a line of the view', () => {
    assert.equal(runIdOf('r1'), 'r1');
    assert.equal(runIdOf({ kind: 'run', run }), 'r1');
  });

  it('is none where the palette ran it, or nothing is named', () => {
    for (const argument of [undefined, null, '', {}, { run: 3 }, { run: { id: 5 } }])
      assert.equal(runIdOf(argument), null);
  });
});
