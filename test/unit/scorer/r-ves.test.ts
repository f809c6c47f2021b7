import assert from 'node:assert/strict';
import { ScorerBench } from './support.ts';

describe('r_ves of a pair', function () {
  this.timeout(60_000);
  let bench: ScorerBench;
  let db: string;

  before(() => {
    bench = new ScorerBench();
    db = bench.database('a.sqlite', 'CREATE TABLE t(id INTEGER); INSERT INTO t VALUES (1), (2), (2)');
  });
  after(() => bench.close());

  const pairOf = (gold: string, pred: string) => ({ id: '1', db_id: 'a', gold, pred, databases: [db] });
  const slow = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 200000) SELECT max(x) FROM n';

  it('rewards right answers by their time, and no others', async () => {
    const scorer = bench.scorer({ metrics: ['r_ves'] }, null, { rVesRuns: 3 });
    const fast = await scorer.score(pairOf(slow, 'SELECT 200000'));
    assert.deepEqual([fast.r_ves, fast.official_ex], [1.25, undefined]);
    assert.equal((await scorer.score(pairOf('SELECT 200000', slow))).r_ves, 0.25);
    assert.equal((await scorer.score(pairOf('SELECT id FROM t', 'SELECT 1'))).r_ves, 0);
    assert.equal((await scorer.score(pairOf('SELECT id FROM t', 'SELECT nope'))).r_ves, 0);
    assert.equal((await scorer.score(pairOf('SELECT nope', 'SELECT 1'))).r_ves, null);
  });

  it('times anew each time, prediction and gold in turn, while nothing else runs', async () => {
    const [gold, pred] = ['SELECT DISTINCT id FROM t', 'SELECT id FROM t GROUP BY id'];
    const scorer = bench.scorer({ metrics: ['r_ves'] }, bench.store, { rVesRuns: 4 });
    await scorer.score(pairOf(gold, pred));
    bench.queries.length = 0;
    await Promise.all([scorer.score(pairOf(gold, pred)), scorer.score(pairOf(gold, pred))]);
    const turn = Array.from({ length: 4 }, () => [pred, gold]).flat();
    assert.deepEqual(
      bench.queries.map(({ sql }) => sql),
      [...turn, ...turn],
    );
  });
});
