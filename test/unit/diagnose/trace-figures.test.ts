import assert from 'node:assert/strict';
import {
  groupMembersSql,
  predicateTruthSql,
  stageKeysSql,
  stageRowsSql,
} from '../../../src/core/diagnose/trace/stage-sql.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { planOf, stageOf, steps, TraceBench } from './trace-support.ts';

const SCHEMA = `
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, region TEXT COLLATE NOCASE);
INSERT INTO customer VALUES (1, 'Ann', 'North'), (2, 'Bob', 'north'), (3, 'Cy', 'South'), (4, 'Dee', NULL);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INT, amount INT);
INSERT INTO purchase VALUES (11, 1, 5), (12, 1, 7), (13, 2, 7), (14, 9, 1);
CREATE TABLE line (purchase_id INT, n INT);
INSERT INTO line VALUES (11, 1), (11, 2), (12, 1), (13, 1), (13, 2), (13, 3);`;

describe('figures and pages of a trace', () => {
  const folder = temporaryFolder();
  const bench = new TraceBench(folder.database('sales.sqlite', SCHEMA));
  after(async () => {
    await bench.dispose();
    folder.remove();
  });

  it('tells the fan-out of each join per key of the alias that drives it, and whether rows multiply', async () => {
    const trace = await bench.trace(`SELECT 1 FROM customer c JOIN purchase p ON p.customer_id = c.id
      JOIN line l ON l.purchase_id = p.id JOIN customer again ON again.id = c.id`);
    const joins = [0, 1, 2].map((index) => {
      const { driving, rowCount, fanout, growth, multiplies } = stageOf(trace, 'JOIN', index);
      return { driving, rowCount, fanout, growth, multiplies };
    });
    assert.deepEqual(joins, [
      { driving: 'c', rowCount: 3, fanout: 3 / 4, growth: 3 / 4, multiplies: true },
      { driving: 'p', rowCount: 6, fanout: 2, growth: 2, multiplies: true },
      { driving: 'c', rowCount: 6, fanout: 3, growth: 1, multiplies: false },
    ]);
    assert.deepEqual(stageOf(trace, 'JOIN', 1).distinct, { c: 2, p: 3, l: 6 });
  });

  it('says of a join without a condition that it puts every row beside every row', async () => {
    const trace = await bench.trace('SELECT 1 FROM customer c, purchase p WHERE p.customer_id = c.id');
    const join = stageOf(trace, 'JOIN');
    assert.equal(join.label, 'COMMA JOIN');
    assert.equal(join.rowCount, 16);
    assert.equal(join.multiplies, null);
    assert.match(join.notes.join(), /Every row with every row/);
    assert.deepEqual(stageOf(trace, 'WHERE').distinct, { c: 2, p: 3 });
  });

  it('finds the rows that tie at the cut of LIMIT, not those that tie elsewhere', async () => {
    const ties = async (sql: string) => stageOf(await bench.trace(sql), 'LIMIT').ties;
    const sorted = 'SELECT id FROM purchase ORDER BY amount DESC';
    assert.deepEqual(await ties(`${sorted} LIMIT 1`), { tied: 2, kept: 1 });
    assert.equal(await ties(`${sorted} LIMIT 2`), null);
    assert.equal(await ties(`${sorted} LIMIT 1 OFFSET 1`), null);
    assert.equal(await ties(`${sorted} LIMIT 9`), null);
    assert.deepEqual(await ties('SELECT region FROM customer WHERE id < 3 ORDER BY region LIMIT 1'), {
      tied: 2,
      kept: 1,
    });
    assert.equal(await ties('SELECT DISTINCT region FROM customer WHERE id < 3 ORDER BY region LIMIT 1'), null);
    assert.deepEqual(
      await ties('SELECT customer_id, count(*) AS n FROM purchase GROUP BY customer_id ORDER BY n LIMIT 1'),
      { tied: 2, kept: 1 },
    );
    assert.deepEqual(await ties('SELECT customer_id, amount FROM purchase UNION SELECT 3, 7 ORDER BY 2 DESC LIMIT 2'), {
      tied: 3,
      kept: 2,
    });
  });

  it('says that LIMIT without ORDER BY keeps arbitrary rows', async () => {
    assert.match(stageOf(await bench.trace('SELECT id FROM purchase LIMIT 1'), 'LIMIT').notes.join(), /arbitrary/);
  });

  it('pages rows and keys in the order of the stage', async () => {
    const plan = await bench.plan('SELECT name FROM customer ORDER BY name DESC LIMIT 3');
    const page = { offset: 1, limit: 1 };
    assert.deepEqual(await bench.rows(stageRowsSql(planOf(plan, 'ORDER BY'), page)), [['Cy']]);
    assert.deepEqual(await bench.rows(stageRowsSql(planOf(plan, 'LIMIT'), { offset: 2, limit: 5 })), [['Bob']]);
    assert.deepEqual(await bench.rows(stageKeysSql(planOf(plan, 'LIMIT'), { offset: 2, limit: 5 })), [[2]]);
  });

  it('gives the keys of chosen rows only, and those that are gone not at all', async () => {
    const plan = await bench.plan(
      'SELECT c.name FROM customer c LEFT JOIN purchase p ON p.customer_id = c.id WHERE p.amount > 5',
    );
    const only = [{ alias: 'c', keys: [[1], [3]] }];
    assert.deepEqual(await bench.rows(stageKeysSql(planOf(plan, 'JOIN'), null, only)), [
      [1, 11],
      [1, 12],
      [3, null],
    ]);
    assert.deepEqual(await bench.rows(stageKeysSql(planOf(plan, 'WHERE'), null, only)), [[1, 12]]);
    const unmatched = [{ alias: 'p', keys: [[null]] }];
    assert.deepEqual(await bench.rows(stageKeysSql(planOf(plan, 'JOIN'), null, unmatched)), [
      [3, null],
      [4, null],
    ]);
  });

  it('tells the truth of each conjunct: true, false or NULL', async () => {
    const plan = await bench.plan(`SELECT name FROM customer WHERE region <> 'South' AND (id > 1 AND name LIKE '%e%')`);
    const where = planOf(plan, 'WHERE');
    assert.deepEqual(
      where.conjuncts.map(({ sql }) => sql),
      [`region <> 'South'`, 'id > 1', `name LIKE '%e%'`],
    );
    assert.deepEqual(await bench.rows(predicateTruthSql(where, null)), [
      [1, 1, 0, 0],
      [2, 1, 1, 0],
      [3, 0, 1, 0],
      [4, null, 1, 1],
    ]);
    assert.deepEqual(await bench.rows(predicateTruthSql(where, null, [{ alias: 'customer', keys: [[4]] }])), [
      [4, null, 1, 1],
    ]);
  });

  it('tells the truth of ON for pairs that it did not let through, and of HAVING for groups that it dropped', async () => {
    const plan =
      await bench.plan(`SELECT customer_id FROM customer c JOIN purchase p ON p.customer_id = c.id AND amount > 5
      GROUP BY customer_id HAVING count(*) > 1`);
    const pairs = predicateTruthSql(planOf(plan, 'JOIN'), null, [
      { alias: 'c', keys: [[1]] },
      { alias: 'p', keys: [[11], [12], [14]] },
    ]);
    assert.deepEqual(await bench.rows(pairs), [
      [1, 11, 1, 0],
      [1, 12, 1, 1],
      [1, 14, 0, 0],
    ]);
    const groups = await bench.rows(predicateTruthSql(planOf(plan, 'HAVING'), null));
    assert.deepEqual(
      groups.map((row) => row.slice(0, 3)),
      [
        [1, 1, 0],
        [2, 1, 0],
      ],
    );
  });

  it('shows groups with their sizes and members', async () => {
    const plan = await bench.plan('SELECT region AS r, max(id) FROM customer GROUP BY r');
    const group = planOf(plan, 'GROUP BY');
    assert.deepEqual(
      (await bench.rows(stageKeysSql(group, null))).map((row) => row.slice(0, 2)),
      [
        [null, 1],
        // One of the two spellings: that of the row that max() took.
        ['north', 2],
        ['South', 1],
      ],
    );
    assert.deepEqual(await bench.rows(groupMembersSql(group, ['North'], null)), [[1], [2]]);
    assert.deepEqual(await bench.rows(groupMembersSql(group, [null], null)), [[4]]);
  });

  it('leaves out what would take too long, and says so', async () => {
    const digits = 'WITH RECURSIVE d (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM d WHERE i < 100000000) ';
    const trace = await bench.trace(`${digits}SELECT customer.id FROM customer JOIN d ON d.i = customer.id`, {
      timeoutMs: 300,
    });
    assert.deepEqual(steps(trace), ['FROM 4', 'JOIN null', 'SELECT null']);
    assert.match(stageOf(trace, 'JOIN').notes.join(), /too long|no time/);
  });

  it('counts no distinct keys of stages with more rows than asked for', async () => {
    const trace = await bench.trace('SELECT 1 FROM customer c JOIN purchase p ON p.customer_id = c.id', {
      distinctLimit: 2,
    });
    assert.deepEqual(stageOf(trace, 'JOIN').distinct, { c: null, p: null });
    assert.equal(stageOf(trace, 'JOIN').growth, 3 / 4);
  });

  it('is cancelled by its signal', async () => {
    const signal = AbortSignal.abort();
    await assert.rejects(bench.trace('SELECT 1 FROM customer', { signal }), { code: 'cancelled' });
  });
});
