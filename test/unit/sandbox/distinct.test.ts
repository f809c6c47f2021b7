import assert from 'node:assert/strict';
import { Bench } from './support.ts';

describe('a query without its repeated rows', function () {
  this.timeout(60_000);
  let bench: Bench;
  let db: string;

  before(() => {
    bench = new Bench();
    db = bench.database('a.sqlite', 'CREATE TABLE t(a); INSERT INTO t VALUES (1)');
  });
  after(() => bench.close());

  it('gives each row once, where it first stands; numbers are equal by value, types apart', async () => {
    const sql =
      "VALUES (2, 'a'), (1, 'a'), (2.0, 'a'), ('2', 'a'), (x'32', 'a'), (NULL, 'a'), (NULL, 'a'), (1, 'a'), (2, 'b')";
    const { rows, truncated } = await bench.query(db, sql, { distinct: true });
    const bytes = new Uint8Array([0x32]);
    assert.deepEqual(rows, [
      [2, 'a'],
      [1, 'a'],
      ['2', 'a'],
      [bytes, 'a'],
      [null, 'a'],
      [2, 'b'],
    ]);
    assert.equal(truncated, false);
  });

  it('counts what it keeps against the limits', async () => {
    const series = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 10000) SELECT x % 5 FROM n';
    const held = await bench.query(db, series, { distinct: true, maxRows: 5, maxBytes: 40 });
    assert.deepEqual([held.rows.length, held.truncated], [5, false]);
    for (const limit of [{ maxRows: 4 }, { maxBytes: 39 }]) {
      const cut = await bench.query(db, series, { distinct: true, ...limit });
      assert.deepEqual([cut.rows.length, cut.truncated], [4, true]);
    }
  });

  it('tells text that is not UTF-8 also behind rows that were left out', async () => {
    const sql = "VALUES ('a'), ('a'), ('a'), (CAST(x'ff' AS TEXT)), ('\uFFFDb')";
    const { rows } = await bench.query(db, sql, { distinct: true });
    assert.deepEqual(rows, [['a'], [{ text: '\uFFFD', invalid: true }], ['\uFFFDb']]);
  });
});
