import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { smallestRows } from '../../../src/core/diagnose/minimise/smallest.ts';
import type { Minimised } from '../../../src/protocol/diagnosis.ts';
import { toJsonRows } from '../../../src/protocol/value.ts';
import { minimise } from '../../../src/runtime/diagnose/minimise.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { TraceBench } from './trace-support.ts';

function parts(differ: (kept: ReadonlySet<number>) => boolean, dependents: number[][] = []) {
  return { differ: async (kept: ReadonlySet<number>) => differ(kept), dependents, now: () => 0 };
}

const BUDGET = { tries: 10_000, ms: 1_000 };
const HUNDRED = Array.from({ length: 100 }, (_, index) => index);

describe('the search for the smallest rows', () => {
  it('leaves exactly the rows on which the difference hangs', async () => {
    const { kept, minimal } = await smallestRows(
      HUNDRED,
      parts((rows) => rows.has(7) && rows.has(93)),
      BUDGET,
    );
    assert.deepEqual([...kept].sort(), [7, 93]);
    assert.equal(minimal, true);
  });

  it('takes rows away together with those that refer to them', async () => {
    const dependents: number[][] = HUNDRED.map(() => []);
    dependents[3] = [50];
    const seen: boolean[] = [];
    const { kept } = await smallestRows(
      HUNDRED,
      parts((rows) => {
        seen.push(rows.has(50) && !rows.has(3));
        return rows.has(50);
      }, dependents),
      BUDGET,
    );
    assert.deepEqual([...kept].sort(), [3, 50]);
    assert.ok(!seen.includes(true), 'no try had a row without the one it refers to');
  });

  it('needs few tries where little is left of much', async () => {
    const many = Array.from({ length: 4_096 }, (_, index) => index);
    const { effort } = await smallestRows(
      many,
      parts((rows) => rows.has(1234)),
      BUDGET,
    );
    assert.ok(effort.queries / 2 < 60, `${effort.queries / 2} tries`);
  });

  it('says that more could go where its budget ends', async () => {
    const { kept, minimal, effort } = await smallestRows(
      HUNDRED,
      parts((rows) => rows.size > 40),
      { tries: 5, ms: 1_000 },
    );
    assert.equal(minimal, false);
    assert.equal(effort.exhausted, true);
    assert.ok(kept.size > 40);
  });
});

const SHOP = `PRAGMA foreign_keys = OFF;
CREATE TABLE city (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, city TEXT REFERENCES city (code));
CREATE TABLE purchase (customer INTEGER REFERENCES customer (id), total REAL, paid BLOB, double REAL AS (total * 2));
CREATE VIEW big AS SELECT * FROM purchase WHERE total > 5;
INSERT INTO city VALUES ('R', 'Rome'), ('P', 'Paris'), ('O', 'Oslo');
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
  INSERT INTO customer SELECT i, 'c' || i, substr('RPO', i % 3 + 1, 1) FROM n;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
  INSERT INTO purchase SELECT i % 150 + 1, i % 10, x'00' FROM n;
UPDATE customer SET name = 'It''s C1' WHERE id = 1;
CREATE TABLE ref (a INTEGER REFERENCES gone (x), b TEXT);
INSERT INTO ref VALUES (1, 'a'), (2, 'b');`;

describe('minimise', () => {
  const folder = temporaryFolder();
  const shop = new TraceBench(folder.database('shop.sqlite', SHOP));
  after(async () => {
    await shop.dispose();
    folder.remove();
  });

  async function smallest(gold: string, pred: string, saveAs?: string): Promise<Minimised> {
    const task = {
      db: shop.db,
      catalog: await shop.catalog(),
      gold,
      pred,
      ...(saveAs === undefined ? {} : { saveAs }),
    };
    const { minimised, why } = await minimise(shop.pool, task);
    assert.ok(minimised !== null, why ?? '');
    return minimised;
  }

  /** Runs a query on the database that the statements make. */
  function rowsOn(sql: string, query: string) {
    const database = new DatabaseSync(':memory:');
    database.exec(sql);
    const statement = database.prepare(query);
    statement.setReturnArrays(true);
    const rows = toJsonRows(statement.all() as never);
    database.close();
    return rows;
  }

  it('shows a fan-out by one customer with two purchases', async () => {
    const gold = 'SELECT count(DISTINCT c.id) FROM customer c JOIN purchase p ON p.customer = c.id';
    const pred = 'SELECT count(*) FROM customer c JOIN purchase p ON p.customer = c.id';
    const found = await smallest(gold, pred);
    assert.deepEqual(found.tables, [
      { table: 'city', rows: 1 },
      { table: 'customer', rows: 1 },
      { table: 'purchase', rows: 2 },
    ]);
    assert.equal(found.minimal, true);
    assert.deepEqual([found.gold.rows, found.pred.rows], [[[1]], [[2]]]);
  });

  it('gives statements that make the same results anywhere, foreign keys enforced', async () => {
    const gold = `SELECT c.name, t.name FROM customer c JOIN city t ON t.code = c.city WHERE c.name = 'it''s c1'`;
    const pred = `SELECT c.name, t.name FROM customer c JOIN city t ON t.code = c.city WHERE c.name = 'c2'`;
    const found = await smallest(gold, pred);
    assert.ok(!found.sql.includes('PRAGMA'));
    assert.deepEqual(rowsOn(found.sql, gold), found.gold.rows);
    assert.deepEqual(rowsOn(found.sql, pred), found.pred.rows);
  });

  it('looks through views, and leaves generated columns to themselves', async () => {
    const gold = 'SELECT count(*) FROM big WHERE double > 12';
    const found = await smallest(gold, 'SELECT count(*) FROM big');
    assert.deepEqual(
      found.tables.filter(({ table }) => table === 'purchase'),
      [{ table: 'purchase', rows: 1 }],
    );
    assert.deepEqual(rowsOn(found.sql, gold), found.gold.rows);
  });

  it('does not enforce foreign keys that were broken before', async () => {
    const gold = 'SELECT b FROM ref WHERE a = 1';
    const found = await smallest(gold, 'SELECT b FROM ref WHERE a = 2');
    assert.ok(found.sql.startsWith('PRAGMA foreign_keys = OFF;'));
    assert.equal(found.rows, 1);
    assert.deepEqual(rowsOn(found.sql, gold), found.gold.rows);
  });

  it('starts from the rows that are known to matter', async () => {
    const gold = 'SELECT name FROM customer WHERE id <> 77';
    const task = { db: shop.db, catalog: await shop.catalog(), gold, pred: 'SELECT name FROM customer' };
    const all = await minimise(shop.pool, task);
    const start = [{ table: 'customer', columns: ['rowid'], values: [77] }];
    const known = await minimise(shop.pool, { ...task, start });
    assert.equal(known.minimised?.rows, all.minimised?.rows);
    assert.ok((known.minimised?.effort.queries ?? 0) < (all.minimised?.effort.queries ?? 0));
  });

  it('keeps the small database as a file where asked to', async () => {
    const path = join(folder.path, 'small.sqlite');
    await smallest('SELECT name FROM customer WHERE id < 3', 'SELECT name FROM customer WHERE id < 2', path);
    const database = new DatabaseSync(path, { readOnly: true });
    assert.deepEqual({ ...database.prepare('SELECT count(*) AS n FROM customer').get() }, { n: 1 });
    database.close();
  });

  it('leaves the database as it was and nothing in the temporary folder', async () => {
    const mine = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`sql-agent-sandbox-${process.pid}-`));
    const before = mine();
    await smallest('SELECT name FROM customer WHERE id < 3', 'SELECT name FROM customer WHERE id < 2');
    assert.deepEqual(mine(), before);
    assert.ok(!existsSync(`${shop.db}-journal`));
    assert.deepEqual(await shop.rows('SELECT count(*) FROM customer'), [[300]]);
  });

  it('says why there is nothing to show', async () => {
    const catalog = await shop.catalog();
    const same = { db: shop.db, catalog, gold: 'SELECT name FROM city', pred: 'SELECT name FROM city' };
    assert.match((await minimise(shop.pool, same)).why ?? '', /do not differ/);
    assert.match((await minimise(shop.pool, { ...same, pred: 'SELECT nope FROM city' })).why ?? '', /does not run/);
    const differing = { ...same, pred: `SELECT name FROM city WHERE code <> 'R'` };
    const stop = new AbortController();
    const running = minimise(shop.pool, differing, undefined, stop.signal);
    stop.abort();
    assert.equal((await running).why, 'It was cancelled.');
  });
});
