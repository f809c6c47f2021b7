import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Verdict } from '../../../src/protocol/score.ts';
import { ScorerBench, short } from './support.ts';

const SCHEMA = `CREATE TABLE t(id INTEGER, name TEXT, x REAL);
INSERT INTO t VALUES (1, 'a', 1.5), (2, 'b', 2.5), (3, 'b', 2.5);
CREATE TABLE broken(txt TEXT);
INSERT INTO broken VALUES (CAST(x'ff41' AS TEXT));`;

const RIGHT = { official_ex: true, strict_ex: true, spider_ex: true, soft_f1: 1, reason: null };
const WRONG = { official_ex: false, strict_ex: false, spider_ex: false, soft_f1: 0 };
const NOTHING = { official_ex: null, strict_ex: null, spider_ex: null, soft_f1: null };

describe('the verdict on a pair', function () {
  this.timeout(60_000);
  let bench: ScorerBench;
  let db: string;

  before(() => {
    bench = new ScorerBench();
    db = bench.database('a.sqlite', SCHEMA);
  });
  after(() => bench.close());

  /** The verdict in short. */
  async function of(gold: string, pred: string, settings = {}) {
    return short(await bench.score(db, gold, pred, settings));
  }

  it('is right under every metric where the rows are the same', async () => {
    const verdict = await bench.score(db, 'SELECT id, name FROM t', 'SELECT id, name FROM t WHERE 1');
    assert.deepEqual(short(verdict), RIGHT);
    assert.deepEqual([verdict.gold_status, verdict.pred_status, verdict.message], ['ok', 'ok', undefined]);
    assert.deepEqual(Verdict.parse(verdict), verdict);
  });

  it('says under each metric what the rows are', async () => {
    assert.deepEqual(await of('SELECT name FROM t', 'SELECT DISTINCT name FROM t'), {
      ...RIGHT,
      strict_ex: false,
      reason: 'duplicates_only',
    });
    assert.deepEqual(await of('SELECT id FROM t ORDER BY id', 'SELECT id FROM t ORDER BY id DESC'), {
      ...RIGHT,
      strict_ex: false,
      spider_ex: false,
      soft_f1: 1 / 3,
      reason: 'row_order',
    });
    assert.deepEqual(await of('SELECT id, name FROM t', 'SELECT name, id FROM t'), {
      ...WRONG,
      spider_ex: true,
      soft_f1: 1,
      reason: 'row_values',
    });
    assert.equal((await of('SELECT id FROM t', 'SELECT id, name FROM t')).reason, 'column_count');
    assert.equal((await of('SELECT id FROM t', 'SELECT id FROM t LIMIT 2')).reason, 'row_count');
  });

  it('takes the order of rows into account as the policy says', async () => {
    const [gold, pred] = ['SELECT id FROM t ORDER BY id', 'SELECT id FROM t ORDER BY id DESC'];
    assert.equal((await of(gold, pred, { orderPolicy: 'ignore' })).reason, null);
    assert.equal((await of(gold, pred, { orderPolicy: 'always' })).reason, 'row_order');
    assert.equal((await of('SELECT id FROM t', pred, { orderPolicy: 'always' })).reason, 'row_order');
    assert.equal((await of('SELECT id FROM t', pred)).reason, null);
  });

  it("leaves DISTINCT out for Spider's metric, unless it is kept", async () => {
    const [gold, pred] = ['SELECT DISTINCT name FROM t', 'SELECT name FROM t'];
    assert.equal((await of(gold, pred)).spider_ex, true);
    assert.equal((await of(gold, pred, { keepDistinct: true })).spider_ex, false);
  });

  it('runs nothing more for Spider where its statement is as written, and no query twice', async () => {
    bench.queries.length = 0;
    await of('SELECT id FROM t WHERE id = 1', 'SELECT id FROM t WHERE id = 2');
    assert.deepEqual(
      bench.queries.map(({ sql }) => sql).filter((sql) => !sql.includes('sqlite_schema')),
      ['SELECT id FROM t WHERE id = 1', 'SELECT id FROM t WHERE id = 2'],
    );
    bench.queries.length = 0;
    await of('SELECT max(id) FROM t', 'SELECT max(id) FROM t');
    assert.equal(bench.runsOf('SELECT max(id) FROM t'), 1);
  });

  it('holds the metrics that were asked for and no others', async () => {
    const verdict = await bench.score(db, 'SELECT 1', 'SELECT 1', { metrics: ['soft_f1'] });
    assert.deepEqual(Object.keys(verdict), ['id', 'soft_f1', 'reason', 'gold_status', 'pred_status', 'ms']);
  });

  it('is wrong where the prediction fails, and says how', async () => {
    const failures = [
      ['SELECT nope FROM t', 'error', 'pred_failed'],
      ['SELEC', 'error', 'pred_failed'],
      ['DELETE FROM t', 'rejected', 'rejected'],
      ['SELECT load_extension(1)', 'rejected', 'rejected'],
      ['SELECT id FROM t WHERE id = ?', 'error', 'pred_failed'],
      ['SELECT :x', 'error', 'pred_failed'],
      ['SELECT 1\0', 'rejected', 'rejected'],
      ["SELECT '\ud800'", 'error', 'pred_failed'],
    ] as const;
    for (const [pred, status, reason] of failures) {
      const verdict = await bench.score(db, 'SELECT id FROM t', pred);
      assert.deepEqual(short(verdict), { ...WRONG, reason }, pred);
      assert.deepEqual([verdict.gold_status, verdict.pred_status], ['ok', status], pred);
      assert.ok((verdict.message ?? '').length > 10, pred);
    }
  });

  it('takes a prediction without a statement for a result without rows, as sqlite3 does, except under strict_ex', async () => {
    for (const pred of ['', ' \n', '-- nothing', '/* SELECT 1 */ ;', ';']) {
      assert.deepEqual(
        await of('SELECT id FROM t WHERE 0', pred),
        { ...RIGHT, strict_ex: false, reason: 'pred_failed' },
        JSON.stringify(pred),
      );
      assert.deepEqual(await of('SELECT id FROM t', pred), { ...WRONG, reason: 'pred_failed' }, JSON.stringify(pred));
    }
  });

  it('fails two statements as sqlite3 does, and takes the first for Spider', async () => {
    const gold = 'SELECT id FROM t';
    assert.deepEqual(await of(gold, 'SELECT id FROM t; SELECT 2'), { ...WRONG, spider_ex: true, reason: 'rejected' });
    assert.deepEqual(await of(gold, 'SELECT id FROM t; SELECT 2', { keepDistinct: true }), {
      ...WRONG,
      reason: 'rejected',
    });
    assert.deepEqual(await of(gold, 'SELECT id FROM t;'), RIGHT);
    // Python's sqlite3 takes even a second semicolon for a second statement; SQLite does not.
    const verdict = await bench.score(db, gold, 'SELECT id FROM t; ;');
    assert.deepEqual(short(verdict), { ...RIGHT, official_ex: false, soft_f1: 0 });
    assert.match(verdict.message ?? '', /second semicolon/);
    assert.deepEqual(await of(gold, "SELECT id FROM t WHERE name <> ';;' /* ;; */;"), RIGHT);
  });

  it('judges nothing where the gold fails, and says why', async () => {
    for (const [gold, status] of [
      ['SELECT nope FROM t', 'error'],
      ['DROP TABLE t', 'rejected'],
      ['', 'rejected'],
      ['SELECT ?', 'error'],
    ] as const) {
      const verdict = await bench.score(db, gold, 'SELECT 1');
      assert.deepEqual(short(verdict), { ...NOTHING, reason: 'gold_failed' }, gold);
      assert.deepEqual([verdict.gold_status, verdict.pred_status], [status, 'ok'], gold);
      assert.ok((verdict.message ?? '').length > 10, gold);
    }
  });

  it("judges Spider's metric alone where the gold runs only as Spider writes it", async () => {
    assert.deepEqual(await of('SELECT id FROM t WHERE id > = 2', 'SELECT id FROM t WHERE id >= 2'), {
      ...NOTHING,
      spider_ex: true,
      reason: 'gold_failed',
    });
  });

  it('fails text that is not UTF-8 where the official script does', async () => {
    const pred = await bench.score(db, "SELECT 'A'", 'SELECT txt FROM broken');
    assert.deepEqual(short(pred), { ...WRONG, spider_ex: true, reason: 'row_values' });
    assert.match(pred.message ?? '', /prediction holds text that is not UTF-8/);
    const gold = await bench.score(db, 'SELECT txt FROM broken', 'SELECT txt FROM broken WHERE 1');
    assert.deepEqual(short(gold), { ...RIGHT, official_ex: null, soft_f1: null });
    assert.match(gold.message ?? '', /gold holds text that is not UTF-8/);
  });

  it('is about the database where that is the matter', async () => {
    const missing = await bench.score(`${db}.nope`, 'SELECT 1', 'SELECT 1');
    assert.deepEqual(short(missing), { ...NOTHING, reason: 'gold_failed' });
    assert.match(missing.message ?? '', /There is no file/);
    writeFileSync(join(bench.folder.path, 'text.sqlite'), 'no database');
    const text = await bench.score(join(bench.folder.path, 'text.sqlite'), 'SELECT 1', 'SELECT 1');
    assert.deepEqual(short(text), { ...NOTHING, reason: 'gold_failed' });
    assert.match(text.message ?? '', /is not a SQLite 3 database/);
    const none = await bench
      .scorer()
      .score({ id: 'x', db_id: 'nope', gold: 'SELECT 1', pred: 'SELECT 1', databases: [] });
    assert.deepEqual(short(none), { ...NOTHING, reason: 'gold_failed' });
    assert.match(none.message ?? '', /"nope"/);
  });

  it('says which tables a gold reads, views looked through', async () => {
    const path = bench.database('views.sqlite', `${SCHEMA} CREATE VIEW v AS SELECT id FROM t;`);
    const scorer = bench.scorer();
    const tables = await scorer.goldTables(path, 'SELECT (SELECT count(*) FROM broken) FROM v');
    assert.deepEqual(tables?.toSorted(), ['broken', 't']);
    assert.equal(await scorer.goldTables(path, 'SELECT nope FROM v'), null);
  });
});
