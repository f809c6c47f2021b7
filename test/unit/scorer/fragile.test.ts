import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, truncateSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PerturbedCopies } from '../../../src/runtime/score/copies.ts';
import { knownDatabase } from '../../../src/runtime/score/known-database.ts';
import { ScorerBench } from './support.ts';

const ROWS = `CREATE TABLE singer(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, city TEXT);
INSERT INTO singer WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 30)
SELECT x, 'singer ' || x, 20 + x, 'city ' || x % 5 FROM n`;

describe('the fragile pass', function () {
  this.timeout(60_000);
  let bench: ScorerBench;
  let db: string;
  let temp: string;

  beforeEach(() => {
    bench = new ScorerBench();
    db = bench.database('a.sqlite', ROWS);
    temp = join(bench.folder.path, 'temp');
    mkdirSync(temp);
  });
  afterEach(() => bench.close());

  const scorerOf = (store = false) => bench.scorer({ fragile: true }, store ? bench.store : null, { tempFolder: temp });
  const pairOf = (gold: string, pred: string) => ({ id: '1', db_id: 'a', gold, pred, databases: [db] });

  it('finds answers that are right by luck', async () => {
    const scorer = scorerOf();
    for (const [gold, pred] of [
      ['SELECT count(*) FROM singer', 'SELECT 30'],
      ['SELECT count(*) FROM singer', 'SELECT count(age) FROM singer'],
      ['SELECT name FROM singer ORDER BY age DESC LIMIT 1', "SELECT name FROM singer WHERE name = 'singer 30'"],
    ] as const) {
      const { fragile } = await scorer.score(pairOf(gold, pred));
      assert.equal(fragile?.tried, 8, pred);
      assert.ok((fragile?.differ ?? 0) > 0, pred);
    }
  });

  it('finds nothing in answers that mean the same', async () => {
    const scorer = scorerOf();
    for (const [gold, pred] of [
      ['SELECT count(*) FROM singer', 'SELECT count(id) FROM singer'],
      ['SELECT name FROM singer WHERE age > 30', 'SELECT name FROM singer WHERE NOT age <= 30'],
      ['SELECT DISTINCT city FROM singer', 'SELECT city FROM singer GROUP BY 1'],
    ] as const)
      assert.deepEqual((await scorer.score(pairOf(gold, pred))).fragile, { tried: 8, differ: 0 }, pred);
  });

  it('tries right answers alone', async () => {
    const scorer = scorerOf();
    assert.equal((await scorer.score(pairOf('SELECT 1 FROM singer', 'SELECT 2'))).fragile, undefined);
    assert.equal((await scorer.score(pairOf('SELECT nope', 'SELECT 2'))).fragile, undefined);
  });

  it('gives the same each time, and keeps it', async () => {
    const pair = pairOf('SELECT max(age) FROM singer', 'SELECT age FROM singer WHERE id = 30');
    const first = (await scorerOf().score(pair)).fragile;
    assert.deepEqual((await scorerOf(true).score(pair)).fragile, first);
    bench.queries.length = 0;
    assert.deepEqual((await scorerOf(true).score(pair)).fragile, first);
    assert.deepEqual(bench.queries, []);
  });

  it('makes its copies once, changes nothing of the database, and removes them in the end', async () => {
    const scorer = scorerOf();
    await scorer.score(pairOf('SELECT count(*) FROM singer', 'SELECT count(id) FROM singer'));
    const [folder = ''] = readdirSync(temp);
    assert.equal(readdirSync(join(temp, folder)).length, 8);
    await scorer.score(pairOf('SELECT max(id) FROM singer', 'SELECT max(id) FROM singer WHERE 1'));
    assert.equal(readdirSync(join(temp, folder)).length, 8);
    await scorer.dispose();
    assert.deepEqual(readdirSync(temp), []);
    const rows = await bench.pool.query({ db, sql: 'SELECT count(*) FROM singer' });
    assert.deepEqual(rows.rows, [[30]]);
  });

  it('removes the copies of a program that was killed', async () => {
    const left = join(temp, 'sql-agent-sandbox-999999999-killed');
    mkdirSync(left);
    const long = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(left, long, long);
    await scorerOf().score(pairOf('SELECT count(*) FROM singer', 'SELECT 30'));
    assert.ok(!readdirSync(temp).includes('sql-agent-sandbox-999999999-killed'));
  });

  it('copies what is only in the log of a database', async () => {
    const writer = new DatabaseSync(db);
    try {
      writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE later(x); INSERT INTO later VALUES (1), (2), (3)');
      bench.aged(`${db}-wal`);
      bench.aged(db);
      const { fragile } = await scorerOf().score(pairOf('SELECT count(*) FROM later', 'SELECT 3'));
      assert.equal(fragile?.tried, 8);
      assert.ok((fragile?.differ ?? 0) > 0);
    } finally {
      writer.close();
    }
  });

  it('leaves large databases and slow queries out', async () => {
    const slow = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3000000) SELECT count(*) FROM n';
    assert.deepEqual((await scorerOf().score(pairOf(slow, slow))).fragile, { tried: 0, differ: 0 });
    truncateSync(db, 60 * 2 ** 20);
    bench.aged(db);
    const known = await knownDatabase(null, db);
    assert.ok(known);
    assert.equal(await new PerturbedCopies(temp).of(known, 1), null);
    assert.deepEqual(readdirSync(temp), []);
  });
});
