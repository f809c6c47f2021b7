import assert from 'node:assert/strict';
import { stageKeysSql, stageRowsSql } from '../../../src/core/diagnose/trace/stage-sql.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { planOf, stageOf, steps, TraceBench } from './trace-support.ts';

const SCHEMA = `
CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, city TEXT, age INT);
INSERT INTO p VALUES (1, 'Ann', 'Rome', 30), (2, 'ANN', 'Paris', NULL), (3, 'Bob', 'Rome', 20);
CREATE TABLE pay (id INTEGER PRIMARY KEY, pid INT, n INT, memo TEXT);
INSERT INTO pay VALUES (1, 1, 5, '10'), (2, 1, 7, 'x'), (3, 3, 7, NULL), (4, 8, 1, '010');
CREATE TABLE k (a TEXT, b INT, PRIMARY KEY (a, b)) WITHOUT ROWID;
INSERT INTO k VALUES ('x', 1), ('x', 2), ('y', 1);
CREATE TABLE named (rowid TEXT, _rowid_ TEXT, oid TEXT);
INSERT INTO named VALUES ('a', 'b', 'c'), ('a', 'b', 'c');`;

describe('a trace and what is special in SQLite', () => {
  const folder = temporaryFolder();
  const bench = new TraceBench(folder.database('pitfalls.sqlite', SCHEMA));
  after(async () => {
    await bench.dispose();
    folder.remove();
  });

  it('takes an alias in WHERE, GROUP BY and HAVING, the real column first', async () => {
    const trace = await bench.trace(`SELECT id * 2 AS twice, city AS name FROM p WHERE twice > 2 AND name = 'bob'`);
    assert.deepEqual(steps(trace), ['FROM 3', 'WHERE 1', 'SELECT 1']);
    const grouped = await bench.trace('SELECT upper(city) AS u, count(*) AS c FROM p GROUP BY u HAVING c > 1');
    assert.deepEqual(steps(grouped), ['FROM 3', 'GROUP BY 2', 'HAVING 1', 'SELECT 1']);
  });

  it('sorts by the alias where ORDER BY names one, and keys follow the same order', async () => {
    const plan = await bench.plan('SELECT -id AS age FROM p ORDER BY age');
    const keys = await bench.rows(stageKeysSql(planOf(plan, 'ORDER BY'), { offset: 0, limit: 10 }));
    assert.deepEqual(keys, [[3], [2], [1]]);
  });

  it('lets a bare column follow the row of the only max(), in HAVING, too', async () => {
    const trace = await bench.trace(`SELECT max(age), name FROM p GROUP BY 1 = 1 HAVING city = 'Rome' AND id = 1`);
    assert.deepEqual(steps(trace), ['FROM 3', 'GROUP BY 1', 'HAVING 1', 'SELECT 1']);
  });

  it('groups, dedupes and joins by the collation of the column', async () => {
    assert.deepEqual(steps(await bench.trace('SELECT name FROM p GROUP BY name')), [
      'FROM 3',
      'GROUP BY 2',
      'SELECT 2',
    ]);
    assert.equal(stageOf(await bench.trace('SELECT DISTINCT name FROM p'), 'DISTINCT').rowCount, 2);
    assert.equal(
      stageOf(await bench.trace('SELECT name FROM p UNION SELECT name FROM p'), 'SET OPERATION').rowCount,
      2,
    );
    assert.equal(stageOf(await bench.trace('SELECT 1 FROM p a JOIN p b ON a.name = b.name'), 'JOIN').rowCount, 5);
  });

  it('keeps affinity: a text column equals a number, its expression does not', async () => {
    assert.equal(stageOf(await bench.trace('SELECT 1 FROM pay WHERE memo = 10'), 'WHERE').rowCount, 1);
    assert.equal(stageOf(await bench.trace(`SELECT 1 FROM pay WHERE memo || '' = 10`), 'WHERE').rowCount, 0);
    const nested = await bench.trace(`SELECT 1 FROM (SELECT memo AS m FROM pay) WHERE m = 10`);
    assert.equal(stageOf(nested, 'WHERE').rowCount, 1);
  });

  it('keys rows by rowid, by the primary key of a WITHOUT ROWID table, and says where neither is there', async () => {
    const trace = await bench.trace(
      'SELECT * FROM p JOIN k ON k.b = p.id JOIN (SELECT city FROM p) x ON 1 JOIN named ON 1',
      { maxKeys: 1 },
    );
    const { keys, unstable } = stageOf(trace, 'JOIN', 2);
    assert.deepEqual(
      keys.map(({ alias, kind, columns }) => [alias, kind, columns]),
      [
        ['p', 'rowid', ['rowid']],
        ['k', 'primary_key', ['a', 'b']],
        ['x', 'values', ['city']],
        ['named', 'values', ['rowid', '_rowid_', 'oid']],
      ],
    );
    assert.deepEqual(
      keys.map(({ values }) => values?.[0]?.length),
      [1, 2, 1, 3],
    );
    assert.equal(unstable, true);
    assert.equal(stageOf(trace, 'JOIN', 0).unstable, false);
  });

  it('gives one row for an aggregate over nothing, none where it is grouped', async () => {
    assert.deepEqual(steps(await bench.trace('SELECT count(*) FROM p WHERE 0')), [
      'FROM 3',
      'WHERE 0',
      'AGGREGATE 1',
      'SELECT 1',
    ]);
    assert.deepEqual(steps(await bench.trace('SELECT count(*) FROM p WHERE 0 GROUP BY city')), [
      'FROM 3',
      'WHERE 0',
      'GROUP BY 0',
      'SELECT 0',
    ]);
    assert.deepEqual(steps(await bench.trace('SELECT max(age) FROM p HAVING count(*) > 9')), [
      'FROM 3',
      'AGGREGATE 1',
      'HAVING 0',
      'SELECT 0',
    ]);
  });

  it('works out windows after HAVING and before DISTINCT', async () => {
    const sql = `SELECT DISTINCT sum(count(*)) OVER () FROM p GROUP BY city HAVING city IS NOT NULL ORDER BY 1`;
    assert.deepEqual(steps(await bench.trace(sql)), [
      'FROM 3',
      'GROUP BY 2',
      'HAVING 2',
      'WINDOW 2',
      'SELECT 2',
      'DISTINCT 1',
      'ORDER BY 1',
    ]);
  });

  it('tells a condition in ON of an outer join from one in WHERE', async () => {
    const inOn = await bench.trace('SELECT 1 FROM p LEFT JOIN pay ON pay.pid = p.id AND pay.n > 5');
    assert.deepEqual(steps(inOn), ['FROM 3', 'JOIN 3', 'SELECT 3']);
    const inWhere = await bench.trace('SELECT 1 FROM p LEFT JOIN pay ON pay.pid = p.id WHERE pay.n > 5');
    assert.deepEqual(steps(inWhere), ['FROM 3', 'JOIN 4', 'WHERE 2', 'SELECT 2']);
  });

  it('does not count rows that an outer join filled with NULL as keys', async () => {
    const trace = await bench.trace('SELECT 1 FROM p LEFT JOIN pay ON pay.pid = p.id');
    assert.deepEqual(stageOf(trace, 'JOIN').distinct, { p: 3, pay: 3 });
  });

  it('works a compound from left to right, without precedence, each operator with its dedupe', async () => {
    const trace = await bench.trace('SELECT city FROM p UNION ALL SELECT city FROM p INTERSECT SELECT city FROM p');
    assert.deepEqual(
      trace.stages.map(({ label, rowCount }) => `${label} ${rowCount}`),
      ['UNION ALL 6', 'INTERSECT 2'],
    );
    assert.deepEqual(
      trace.stages.map(({ nested }) => nested?.map((arm) => arm.stages.length)),
      [[2, 2], [2]],
    );
  });

  it('shows columns of one name apart', async () => {
    const plan = await bench.plan('SELECT p.id, pay.id FROM p JOIN pay ON pay.pid = p.id AND pay.id <> p.id');
    const rows = await bench.rows(stageRowsSql(planOf(plan, 'SELECT'), { offset: 0, limit: 1 }));
    assert.deepEqual(rows, [[1, 2]]);
    const limited = await bench.plan('SELECT p.id, pay.id FROM p JOIN pay ON pay.pid = p.id LIMIT 2 OFFSET 1');
    const sql = stageRowsSql(planOf(limited, 'LIMIT'), { offset: 1, limit: 5 });
    const { columns, rows: left } = await bench.pool.query({ db: bench.db, sql });
    assert.deepEqual([columns, left], [['id', 'id'], [[3, 3]]]);
  });

  it('takes a double-quoted name that is no column as a text', async () => {
    const trace = await bench.trace('SELECT name FROM p WHERE city = "Rome"');
    assert.deepEqual(steps(trace), ['FROM 3', 'WHERE 2', 'SELECT 2']);
  });

  it('merges columns by USING and NATURAL JOIN', async () => {
    assert.equal(stageOf(await bench.trace('SELECT id FROM p JOIN pay USING (id)'), 'JOIN').rowCount, 3);
    assert.equal(stageOf(await bench.trace('SELECT id FROM p NATURAL JOIN pay'), 'JOIN').rowCount, 3);
  });

  it('takes joins as one step where an ON refers to a later table, and says so', async () => {
    const trace = await bench.trace('SELECT a.id FROM p a JOIN pay b ON b.pid = x.id JOIN p x ON x.id = a.id');
    assert.equal(trace.complete, false);
    assert.match(trace.why ?? '', /pay b, p x are one step/);
    assert.deepEqual(steps(trace), ['FROM 3', 'JOIN 3', 'SELECT 3']);
  });

  it('is not complete where SQLite refuses the query', async () => {
    const trace = await bench.trace('SELECT nope FROM p ORDER BY id');
    assert.equal(trace.complete, false);
    assert.match(trace.why ?? '', /no such column: nope/);
    assert.deepEqual(steps(trace), ['FROM 3']);
  });
});
