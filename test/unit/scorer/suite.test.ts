import assert from 'node:assert/strict';
import { ScorerBench, short } from './support.ts';

describe('a suite of databases of one schema', function () {
  this.timeout(60_000);
  let bench: ScorerBench;
  let databases: string[];

  before(() => {
    bench = new ScorerBench();
    databases = [
      bench.database('a.sqlite', 'CREATE TABLE t(id INTEGER); INSERT INTO t VALUES (1)'),
      bench.database('b.sqlite', 'CREATE TABLE t(id INTEGER); INSERT INTO t VALUES (1), (2)'),
      bench.database('c.sqlite', 'CREATE TABLE u(id INTEGER)'),
    ];
  });
  after(() => bench.close());

  const score = (count: number, gold: string, pred: string, suite = true) =>
    bench.scorer({ suite }).score({ id: '1', db_id: 'a', gold, pred, databases: databases.slice(0, count) });

  it('is passed where every database agrees', async () => {
    const verdict = await score(2, 'SELECT id FROM t', 'SELECT id FROM t WHERE id > 0');
    assert.deepEqual([verdict.official_ex, verdict.reason, verdict.database], [true, null, undefined]);
  });

  it('is failed by the first database that disagrees, which is named', async () => {
    const verdict = await score(2, 'SELECT id FROM t', 'SELECT 1');
    assert.deepEqual(short(verdict), {
      official_ex: false,
      strict_ex: false,
      spider_ex: false,
      soft_f1: (1 + 2 / 3) / 2,
      reason: 'row_count',
    });
    assert.equal(verdict.database, 'b.sqlite');
  });

  it('judges nothing where the gold fails on one of them', async () => {
    const verdict = await score(3, 'SELECT id FROM t', 'SELECT 1');
    assert.deepEqual(
      [verdict.official_ex, verdict.soft_f1, verdict.reason, verdict.gold_status, verdict.database],
      [null, null, 'gold_failed', 'error', 'c.sqlite'],
    );
  });

  it('is its main database where no suite is asked for', async () => {
    const verdict = await score(3, 'SELECT id FROM t', 'SELECT 1', false);
    assert.deepEqual([verdict.official_ex, verdict.database], [true, undefined]);
  });
});
