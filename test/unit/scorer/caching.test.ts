import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { ScorerBench, short, withoutTimes } from './support.ts';

const SCHEMA = `CREATE TABLE t(id INTEGER);
INSERT INTO t VALUES (1), (2);
CREATE VIEW moment AS SELECT id, random() AS r FROM t;
CREATE VIEW plain AS SELECT id FROM t;`;

describe('what a scorer keeps', function () {
  this.timeout(60_000);
  let bench: ScorerBench;
  let db: string;

  beforeEach(() => {
    bench = new ScorerBench();
    db = bench.database('a.sqlite', SCHEMA);
  });
  afterEach(() => bench.close());

  const GOLD = 'SELECT id FROM t';
  const pairOf = (pred: string, gold = GOLD, path = db) => ({ id: '1', db_id: 'a', gold, pred, databases: [path] });

  it('runs a gold once, however many predictions it has at the same time', async () => {
    const scorer = bench.scorer();
    const preds = ['SELECT 1', 'SELECT 2', 'SELECT id FROM t WHERE 1', 'SELECT 3'];
    await Promise.all(preds.map((pred) => scorer.score(pairOf(pred))));
    assert.equal(bench.runsOf(GOLD), 1);
  });

  it('scores the same pair once, at the same time and later', async () => {
    const scorer = bench.scorer();
    const verdicts = await Promise.all(['a', 'b', 'c'].map((id) => scorer.score({ ...pairOf('SELECT 1'), id })));
    verdicts.push(await scorer.score({ ...pairOf('SELECT 1'), id: 'd' }));
    assert.deepEqual(
      verdicts.map(({ id }) => id),
      ['a', 'b', 'c', 'd'],
    );
    assert.equal(bench.runsOf('SELECT 1'), 1);
  });

  it('keeps verdicts and gold results for the next process, by the content of the database', async () => {
    const first = await bench.scorer({}, bench.store).score(pairOf('SELECT 1'));
    const copy = bench.database('copy.sqlite', SCHEMA);
    bench.reopenStore();
    bench.queries.length = 0;
    assert.deepEqual(await bench.scorer({}, bench.store).score(pairOf('SELECT 1')), first);
    assert.deepEqual(await bench.scorer({}, bench.store).score(pairOf('SELECT 1', GOLD, copy)), first);
    assert.deepEqual(bench.queries, []);
    await bench.scorer({}, bench.store).score(pairOf('SELECT 5'));
    assert.deepEqual([bench.runsOf(GOLD), bench.runsOf('SELECT 5')], [0, 1]);
  });

  it('keeps a verdict apart for each way to score', async () => {
    await bench.scorer({}, bench.store).score(pairOf('SELECT 1'));
    bench.queries.length = 0;
    await bench.scorer({ orderPolicy: 'always' }, bench.store).score(pairOf('SELECT 1'));
    await bench.scorer({ keepDistinct: true }, bench.store).score(pairOf('SELECT 1'));
    assert.equal(bench.runsOf('SELECT 1'), 2);
  });

  it('begins anew where the database has changed, also in its log alone', async () => {
    const scorer = bench.scorer({}, bench.store);
    assert.equal((await scorer.score(pairOf('SELECT 1 UNION ALL SELECT 2'))).strict_ex, true);
    bench.write(db, 'INSERT INTO t VALUES (3)');
    assert.equal((await scorer.score(pairOf('SELECT 1 UNION ALL SELECT 2'))).strict_ex, false);
    const writer = new DatabaseSync(db);
    try {
      writer.exec('PRAGMA journal_mode = WAL; INSERT INTO t VALUES (4)');
      bench.aged(`${db}-wal`);
      bench.aged(db);
      const four = 'SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4';
      assert.equal((await scorer.score(pairOf(four))).strict_ex, true);
      assert.equal((await scorer.score(pairOf('SELECT 1 UNION ALL SELECT 2'))).strict_ex, false);
    } finally {
      writer.close();
    }
  });

  it('keeps nothing of a database that changes before it is written down', async () => {
    const scorer = bench.scorer({}, bench.store);
    await scorer.score(pairOf('SELECT 1'));
    bench.write(db, 'INSERT INTO t VALUES (3)');
    await scorer.dispose();
    bench.write(db, 'DELETE FROM t WHERE id = 3');
    bench.queries.length = 0;
    await bench.scorer({}, bench.reopenStore()).score(pairOf('SELECT 1'));
    assert.equal(bench.runsOf('SELECT 1'), 1);
  });

  it('keeps nothing that depends on the moment or on chance', async () => {
    const volatile = [
      'SELECT random()',
      "SELECT date('now')",
      'SELECT date()',
      "SELECT strftime('%Y')",
      'SELECT CURRENT_TIMESTAMP',
      "SELECT datetime(0, 'unixepoch', 'localtime')",
      'SELECT r FROM moment',
      'SELECT id FROM moment',
      'SELECT file FROM pragma_database_list',
      'SELECT last_insert_rowid()',
    ];
    const lasting = [
      "SELECT date('2020-01-01', '+1 day')",
      "SELECT strftime('%Y', '2020-01-01')",
      'SELECT id FROM plain',
    ];
    const scorer = bench.scorer({}, bench.store);
    for (const pred of [...volatile, ...lasting]) {
      await scorer.score(pairOf(pred));
      await scorer.score(pairOf(pred));
    }
    for (const pred of volatile) assert.equal(bench.runsOf(pred), 2, pred);
    for (const pred of lasting) assert.equal(bench.runsOf(pred), 1, pred);
    await scorer.score(pairOf('SELECT 1', 'SELECT random()'));
    await scorer.score(pairOf('SELECT 2', 'SELECT random()'));
    assert.equal(bench.runsOf('SELECT random()'), 4);
  });

  it('keeps errors of the SQL, and no ends by a limit', async () => {
    const runaway = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
    const scorer = bench.scorer({ timeoutMs: 300 }, bench.store);
    for (const pred of ['SELECT nope', runaway]) {
      await scorer.score(pairOf(pred));
      await scorer.score(pairOf(pred));
    }
    assert.deepEqual([bench.runsOf('SELECT nope'), bench.runsOf(runaway)], [1, 2]);
  });

  it('runs again what somebody else has cancelled', async () => {
    const scorer = bench.scorer({}, bench.store);
    const slow = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 300000) SELECT count(*) FROM n';
    const controller = new AbortController();
    const stopped = scorer.score(pairOf(slow, slow), controller.signal);
    const other = scorer.score(pairOf(slow, slow));
    controller.abort();
    await assert.rejects(stopped, { code: 'cancelled' });
    assert.equal((await other).strict_ex, true);
  });

  it('does without a store', async () => {
    const [one, other] = [bench.scorer(), bench.scorer()];
    const first = short(await one.score(pairOf('SELECT 1')));
    assert.deepEqual(short(await other.score(pairOf('SELECT 1'))), first);
    assert.equal(bench.runsOf('SELECT 1'), 2);
  });

  it('takes a damaged entry for none', async () => {
    const first = await bench.scorer({}, bench.store).score(pairOf('SELECT 1'));
    bench.reopenStore().close();
    const file = new DatabaseSync(`${bench.folder.path}/storage/store.sqlite`);
    file.exec("UPDATE score_cache SET value = CAST('{' AS BLOB)");
    file.close();
    const again = await bench.scorer({}, bench.reopenStore()).score(pairOf('SELECT 1'));
    assert.deepEqual(withoutTimes(again), withoutTimes(first));
  });
});
