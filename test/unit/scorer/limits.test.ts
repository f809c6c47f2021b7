import assert from 'node:assert/strict';
import type { Sandbox } from '../../../src/core/ports.ts';
import type { QueryResult } from '../../../src/protocol/query.ts';
import { Scorer } from '../../../src/runtime/score/scorer.ts';
import { ScorerBench, SETTINGS, short } from './support.ts';

/** A query of `count` rows with the column expression `value` of n = 1, 2 … */
function series(count: number, value: string): string {
  return `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT ${count}) SELECT ${value} FROM n`;
}

const RUNAWAY = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

describe('scoring at its limits', function () {
  this.timeout(300_000);
  let bench: ScorerBench;
  let db: string;
  let shared: Scorer;

  before(() => {
    bench = new ScorerBench();
    // Ten million rows may take their time on a busy machine.
    shared = bench.scorer({ timeoutMs: 240_000 });
    db = bench.database('a.sqlite', 'CREATE TABLE t(id INTEGER, name TEXT); INSERT INTO t VALUES (1, NULL), (2, NULL)');
  });
  after(() => bench.close());

  /** The verdict of a scorer that all tests share, so that a large gold runs once. */
  const verdictOn = (gold: string, pred: string) => shared.score({ id: '1', db_id: 'a', gold, pred, databases: [db] });

  async function of(gold: string, pred: string) {
    return short(await verdictOn(gold, pred));
  }

  it('judges ten million rows of three kinds exactly, although they cannot be held', async () => {
    const verdict = await verdictOn('VALUES (0), (1), (2)', series(10_000_000, 'x % 3'));
    assert.deepEqual(short(verdict), {
      official_ex: true,
      strict_ex: false,
      spider_ex: false,
      soft_f1: 0,
      reason: 'truncated',
    });
    assert.match(verdict.message ?? '', /larger than can be compared/);
  });

  it('compares values of megabytes whole', async () => {
    const long = (end: string) => `SELECT replace(hex(zeroblob(1500000)), '0', 'x') || '${end}'`;
    assert.equal((await of(long('a'), long('a').replace('SELECT', 'SELECT ALL'))).strict_ex, true);
    assert.equal((await of(long('a'), long('b'))).official_ex, false);
  });

  it('takes a prediction of a megabyte', async () => {
    const list = Array.from({ length: 150_000 }, (_, index) => index).join(', ');
    const pred = `SELECT id FROM t WHERE id IN (${list})`;
    assert.ok(pred.length > 1_000_000);
    assert.deepEqual(await of('SELECT id FROM t', pred), {
      official_ex: true,
      strict_ex: true,
      spider_ex: true,
      soft_f1: 1,
      reason: null,
    });
    const nonsense = await of('SELECT id FROM t', `SELECT ${'('.repeat(1_000_000)}`);
    assert.deepEqual([nonsense.official_ex, nonsense.spider_ex, nonsense.reason], [false, false, 'pred_failed']);
  });

  it('compares duplicate names of columns by their place', async () => {
    assert.equal((await of('SELECT 1 AS a, 2 AS a', 'SELECT 1 AS b, 2 AS b')).reason, null);
    assert.equal((await of('SELECT 1 AS a, 2 AS a', 'SELECT 2 AS a, 1 AS a')).strict_ex, false);
  });

  it('compares mixed types in a column as Python does: numbers by value, text and blobs apart', async () => {
    const mixed = "VALUES (1), (2.5), ('1'), (x'31'), (NULL)";
    assert.equal((await of(mixed, "VALUES (1.0), (2.5), ('1'), (x'31'), (NULL)")).official_ex, true);
    for (const pred of ["('1'), (2.5), ('1'), (x'31'), (NULL)", "(1), (2.5), ('1'), ('1'), (NULL)"])
      assert.equal((await of(mixed, `VALUES ${pred}`)).official_ex, false, pred);
  });

  it('compares huge integers exactly', async () => {
    assert.equal((await of('SELECT 9007199254740993', 'SELECT 9007199254740993')).strict_ex, true);
    for (const pred of ['SELECT 9007199254740992', 'SELECT 9007199254740993.0']) {
      const verdict = await of('SELECT 9007199254740993', pred);
      assert.deepEqual([verdict.official_ex, verdict.strict_ex, verdict.spider_ex], [false, false, false], pred);
    }
    assert.equal((await of('SELECT 1152921504606846976', 'SELECT 1152921504606846976.0')).official_ex, true);
  });

  it('takes NULL for equal to NULL, also in columns of nothing else', async () => {
    assert.equal((await of('SELECT name FROM t', 'SELECT NULL FROM t')).reason, null);
    assert.equal((await of('SELECT name FROM t', "SELECT '' FROM t")).reason, 'row_values');
  });

  it('takes two results without rows for equal, whatever their columns, except under strict_ex', async () => {
    assert.deepEqual(await of('SELECT id FROM t WHERE 0', 'SELECT name FROM t WHERE 0'), {
      official_ex: true,
      strict_ex: true,
      spider_ex: true,
      soft_f1: 1,
      reason: null,
    });
    const wider = await of('SELECT id FROM t WHERE 0', 'SELECT id, name FROM t WHERE 0');
    assert.deepEqual(
      [wider.official_ex, wider.strict_ex, wider.spider_ex, wider.reason],
      [true, false, true, 'column_count'],
    );
  });

  it('stops a query at the time limit: a prediction is wrong, a gold judges nothing', async () => {
    const settings = { timeoutMs: 300 };
    const pred = await bench.score(db, 'SELECT id FROM t', RUNAWAY, settings);
    assert.deepEqual([pred.official_ex, pred.pred_status, pred.reason], [false, 'timeout', 'timeout']);
    const gold = await bench.score(db, RUNAWAY, 'SELECT id FROM t', settings);
    assert.deepEqual([gold.official_ex, gold.gold_status, gold.reason], [null, 'timeout', 'gold_failed']);
  });

  it('counts the time of gold and prediction together for official_ex, a kept gold with the time it took', async () => {
    const rows = [[1]];
    const times = new Map([
      ['SELECT gold', 20_000],
      ['SELECT fast', 5_000],
      ['SELECT slow', 15_000],
    ]);
    const sandbox: Sandbox = {
      query: async ({ sql }): Promise<QueryResult> => ({
        status: 'ok',
        code: null,
        message: null,
        position: null,
        columns: ['a'],
        origins: [],
        rows,
        truncated: false,
        ms: times.get(sql) ?? 0,
        touched: [],
        notes: [],
      }),
    };
    const scorer = new Scorer({ sandbox, store: null }, SETTINGS);
    const score = (pred: string) => scorer.score({ id: pred, db_id: 'a', gold: 'SELECT gold', pred, databases: [db] });
    const fast = await score('SELECT fast');
    assert.deepEqual([fast.official_ex, fast.soft_f1, fast.strict_ex], [true, 1, true]);
    const slow = await score('SELECT slow');
    assert.deepEqual([slow.official_ex, slow.soft_f1, slow.strict_ex, slow.reason], [false, 0, true, null]);
    assert.match(slow.message ?? '', /together took longer than 30000 ms/);
  });
});
