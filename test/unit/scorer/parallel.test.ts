import assert from 'node:assert/strict';
import { Random } from '../../../src/core/score/statistics/random.ts';
import type { Verdict } from '../../../src/protocol/score.ts';
import { scoreAll } from '../../../src/runtime/score/score-all.ts';
import type { ScorePair } from '../../../src/runtime/score/scorer.ts';
import { ScorerBench, withoutTimes } from './support.ts';

const SCHEMA = `CREATE TABLE t(id INTEGER, name TEXT);
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'b'), (4, NULL);`;

const GOLDS = ['SELECT id FROM t ORDER BY id', 'SELECT DISTINCT name FROM t', 'SELECT count(*) FROM t', 'SELECT nope'];
const PREDS = [
  'SELECT id FROM t',
  'SELECT id FROM t ORDER BY id DESC',
  'SELECT name FROM t',
  'SELECT 4',
  'SELECT id, name FROM t',
  'SELECT',
  '',
  'SELECT 1; SELECT 2',
  'DROP TABLE t',
  'SELECT count(name) + 1 FROM t',
];

function shuffled<T>(values: readonly T[], seed: number): T[] {
  const random = new Random(seed);
  const keyed = values.map((value) => ({ value, key: random.uint32() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ value }) => value);
}

describe('scoring many pairs', function () {
  this.timeout(120_000);

  it('gives the same verdicts from 1, 2 and 8 children in any order, told in the order of the pairs', async () => {
    const byId = new Map<string, string>();
    for (const [round, children] of [1, 2, 8].entries()) {
      const bench = new ScorerBench(children);
      try {
        const db = bench.database('a.sqlite', SCHEMA);
        const pairs = GOLDS.flatMap((gold, row) =>
          PREDS.map((pred, column): ScorePair => ({ id: `${row}-${column}`, db_id: 'a', gold, pred, databases: [db] })),
        );
        const order = shuffled(pairs, round);
        const verdicts: Verdict[] = [];
        const onVerdict = (verdict: Verdict) => void verdicts.push(verdict);
        await scoreAll(bench.scorer({}, round === 1 ? bench.store : null), order, {
          concurrency: 3 * children,
          onVerdict,
        });
        assert.deepEqual(
          verdicts.map(({ id }) => id),
          order.map(({ id }) => id),
        );
        for (const verdict of verdicts) {
          const text = JSON.stringify(withoutTimes(verdict));
          assert.equal(text, byId.get(verdict.id) ?? text);
          byId.set(verdict.id, text);
        }
      } finally {
        await bench.close();
      }
    }
    assert.equal(byId.size, GOLDS.length * PREDS.length);
  });

  it('ends with the first error, and with all that was begun', async () => {
    const bench = new ScorerBench();
    try {
      const db = bench.database('a.sqlite', SCHEMA);
      const pairs = PREDS.map((pred, index) => ({
        id: `${index}`,
        db_id: 'a',
        gold: 'SELECT 1',
        pred,
        databases: [db],
      }));
      const told: string[] = [];
      const onVerdict = ({ id }: Verdict) => {
        told.push(id);
        if (told.length === 3) throw new Error('enough');
      };
      await assert.rejects(scoreAll(bench.scorer(), pairs, { concurrency: 4, onVerdict }), /enough/);
      assert.deepEqual(told, ['0', '1', '2']);
    } finally {
      await bench.close();
    }
  });

  it('gives others their turn while it goes through verdicts that are kept', async () => {
    const bench = new ScorerBench();
    try {
      const db = bench.database('a.sqlite', SCHEMA);
      const scorer = bench.scorer({}, bench.store);
      const pair = { db_id: 'a', gold: 'SELECT 1', pred: 'SELECT 2 - 1', databases: [db] };
      const pairs = Array.from({ length: 50_000 }, (_, index) => ({ ...pair, id: `${index}` }));
      await scorer.score({ ...pair, id: 'kept' });
      const controller = new AbortController();
      const told: string[] = [];
      const onVerdict = ({ id }: Verdict) => {
        if (told.length === 0) setImmediate(() => controller.abort());
        told.push(id);
      };
      await assert.rejects(scoreAll(scorer, pairs, { concurrency: 4, onVerdict }, controller.signal), {
        code: 'cancelled',
      });
      assert.ok(told.length < pairs.length);
    } finally {
      await bench.close();
    }
  });

  it('is cancelled by its signal', async () => {
    const bench = new ScorerBench();
    try {
      const db = bench.database('a.sqlite', SCHEMA);
      const pred = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
      const controller = new AbortController();
      const pairs = [
        { id: '1', db_id: 'a', gold: 'SELECT 1', pred: 'SELECT 1', databases: [db] },
        { id: '2', db_id: 'a', gold: 'SELECT 1', pred, databases: [db] },
      ];
      const onVerdict = () => controller.abort();
      const scoring = scoreAll(bench.scorer(), pairs, { concurrency: 2, onVerdict }, controller.signal);
      await assert.rejects(scoring, { code: 'cancelled' });
    } finally {
      await bench.close();
    }
  });
});
