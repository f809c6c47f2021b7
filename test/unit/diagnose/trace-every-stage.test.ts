import assert from 'node:assert/strict';
import type { TracePlan } from '../../../src/core/diagnose/trace/plan.ts';
import {
  groupMembersSql,
  predicateTruthSql,
  stageCountSql,
  stageKeysSql,
  stageRowsSql,
} from '../../../src/core/diagnose/trace/stage-sql.ts';
import type { Trace } from '../../../src/protocol/diagnose.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { TraceBench } from './trace-support.ts';

const SCHEMA = `
CREATE TABLE c (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, city TEXT, age INT);
INSERT INTO c VALUES (1, 'Ann', 'Rome', 30), (2, 'ann', 'Paris', NULL), (3, 'Bob', 'Rome', 20), (4, 'Cy', NULL, 40);
CREATE TABLE o (id INTEGER PRIMARY KEY, cid INT, total REAL, d TEXT);
INSERT INTO o VALUES (10, 1, 5, '2020'), (11, 1, 7, '2021'), (12, 3, 7, '2020'), (13, 9, 1, '2022'), (14, NULL, 2, NULL);
CREATE TABLE w (a TEXT, b INT, v INT, PRIMARY KEY (a, b)) WITHOUT ROWID;
INSERT INTO w VALUES ('x', 1, 5), ('x', 2, 6), ('y', 1, 7);
CREATE TABLE r (rowid TEXT, x INT);
INSERT INTO r VALUES ('q', 1), ('q', 2);
CREATE TABLE tree (id INTEGER PRIMARY KEY, parent INT);
INSERT INTO tree VALUES (1, NULL), (2, 1), (3, 1), (4, 2);
CREATE VIEW vo (cust, n) AS SELECT cid, count(*) FROM o WHERE d <> 'x' GROUP BY cid;
CREATE TABLE s (s TEXT, i INT);
INSERT INTO s VALUES ('10', 10), ('010', 10), ('abc', 3);`;

const QUERIES = [
  `SELECT name FROM c WHERE city = 'Rome'`,
  'SELECT name, count(*) FROM c GROUP BY name',
  'SELECT DISTINCT name FROM c',
  'SELECT c.name n FROM c LEFT JOIN o ON o.cid = c.id AND o.total > 6',
  'SELECT c.name, o.id FROM c RIGHT JOIN o ON o.cid = c.id',
  'SELECT * FROM c FULL JOIN o ON o.cid = c.id WHERE c.id IS NULL OR o.id IS NULL',
  'SELECT * FROM c, o WHERE c.id = o.cid',
  'SELECT * FROM c NATURAL JOIN o',
  'SELECT * FROM c JOIN o USING (id)',
  'SELECT * FROM w JOIN r ON w.v = r.x + 4',
  'SELECT a, sum(v) FROM w GROUP BY a HAVING sum(v) > 7',
  'SELECT count(*) FROM c WHERE 0',
  'SELECT count(*) FROM c WHERE 0 GROUP BY name',
  'SELECT max(age), name FROM c HAVING count(*) > 1',
  'SELECT name, max(total) m FROM c JOIN o ON c.id = o.cid GROUP BY c.id HAVING m > 6 ORDER BY m DESC, name LIMIT 1',
  'SELECT name, rank() OVER (ORDER BY age) k FROM c ORDER BY k',
  'SELECT DISTINCT city, count(*) OVER (PARTITION BY city) FROM c',
  'SELECT city, count(*) n, sum(count(*)) OVER w FROM c GROUP BY city HAVING n > 0 WINDOW w AS (ORDER BY city)',
  `SELECT name FROM c UNION SELECT city FROM c EXCEPT SELECT 'Rome' ORDER BY 1 LIMIT 2`,
  `SELECT name FROM c UNION ALL SELECT city FROM c INTERSECT VALUES ('Rome'), ('ANN')`,
  'VALUES (1, 2), (3, 4)',
  'SELECT 1',
  'SELECT 1 WHERE 0',
  'SELECT count(*)',
  'WITH a AS (SELECT id FROM c WHERE age > 20), b AS (SELECT cid FROM o) SELECT * FROM a JOIN b ON a.id = b.cid',
  `WITH RECURSIVE t (n, p) AS (SELECT id, parent FROM tree WHERE parent IS NULL
    UNION ALL SELECT tree.id, tree.parent FROM tree JOIN t ON tree.parent = t.n) SELECT count(*) FROM t`,
  'SELECT * FROM (SELECT cid, count(*) k FROM o GROUP BY cid) x JOIN c ON c.id = x.cid WHERE k > 1',
  'SELECT * FROM vo JOIN c ON c.id = vo.cust',
  'SELECT name FROM c WHERE EXISTS (SELECT * FROM o WHERE o.cid = c.id AND total > 6)',
  'SELECT name, (SELECT count(*) FROM o WHERE o.cid = c.id) FROM c',
  `SELECT name FROM c WHERE id IN (SELECT cid FROM o WHERE o.total >
    (SELECT avg(total) FROM o o2 WHERE o2.d = o.d AND o2.cid IN (SELECT c.id)))`,
  'SELECT * FROM c JOIN (o JOIN w ON w.b = 1) ON c.id = o.cid',
  `SELECT c.id, j.value FROM c, json_each('[1,2]') j WHERE j.value = c.id`,
  `SELECT name AS city, city AS name FROM c WHERE city = 'Rome' ORDER BY city`,
  'SELECT city, count(*) FROM c GROUP BY 1 ORDER BY 2 DESC, 1',
  'SELECT total t FROM o ORDER BY total DESC LIMIT 1',
  'SELECT total t FROM o ORDER BY total DESC LIMIT 1 OFFSET 1',
  'SELECT DISTINCT total FROM o ORDER BY total DESC LIMIT 1',
  'SELECT total FROM o LIMIT 2',
  'SELECT total FROM o LIMIT -1',
  'SELECT total FROM o LIMIT 1, (SELECT 2)',
  `SELECT "name" FROM c WHERE "city" = "Rome" AND "nope" = 'nope'`,
  'SELECT s, i FROM s WHERE s = 10',
  `SELECT x.y FROM (SELECT s || '' AS y FROM s) x WHERE x.y = 10`,
  `SELECT c.name, (SELECT sum(o.total) FROM o WHERE o.cid = c.id GROUP BY o.d HAVING count(*) > 0 ORDER BY 1 LIMIT 1) q
    FROM c GROUP BY c.city HAVING q IS NOT NULL`,
  `SELECT count(DISTINCT city), name FROM c WHERE 1 = 1 AND (age > 10 AND (city = 'Rome' OR age IS NULL))`,
  'SELECT * FROM c a, c b, c d WHERE a.id = b.id AND b.id < d.id',
  'SELECT name FROM c WHERE (name, id) IN (SELECT name, id FROM c WHERE id IN (1, 2))',
  'SELECT name FROM c GROUP BY name COLLATE BINARY',
  'SELECT id FROM (SELECT id FROM c UNION SELECT cid FROM o) ORDER BY id DESC LIMIT 2',
  'SELECT c.*, o.* FROM c JOIN o ON c.id = o.cid -- and a comment',
  'SELECT name /* the name */ FROM c -- of all;\n;',
  'SELECT (SELECT x.id FROM (SELECT id FROM o WHERE o.cid = c.id) x LIMIT 1) FROM c',
  `SELECT id, (WITH q AS (SELECT * FROM o WHERE o.cid = c.id) SELECT count(*) FROM q JOIN q q2 ON q.id <= q2.id) z FROM c`,
  'SELECT name FROM c WHERE id NOT IN (SELECT cid FROM o)',
  'SELECT sum(age) / count(*), age / 0 FROM c',
  'SELECT main.c.name FROM main.c',
  'SELECT rowid, * FROM r',
  'SELECT r.x FROM r WHERE r.x IN (SELECT count(*) FROM o WHERE o.cid = r.x OR r.x = 2 UNION SELECT 2)',
];

const PAGE = { offset: 0, limit: 1000 };

describe('every stage of a trace', () => {
  const folder = temporaryFolder();
  const bench = new TraceBench(folder.database('shop.sqlite', SCHEMA));
  after(async () => {
    await bench.dispose();
    folder.remove();
  });

  /** The rows, keys and counting query of each stage agree with what the trace says. */
  async function checkStages(plan: TracePlan, trace: Trace): Promise<void> {
    for (const [index, stage] of plan.stages.entries()) {
      const shown = trace.stages[index];
      assert.ok(shown !== undefined);
      const { rowCount } = shown;
      const what = `${stage.label} of ${stage.sql}`;
      assert.equal((await bench.rows(stageRowsSql(stage, PAGE))).length, rowCount, `rows of ${what}`);
      assert.deepEqual(await bench.rows(stageCountSql(stage)), [[rowCount]], `count of ${what}`);
      const keys = stageKeysSql(stage, PAGE);
      if (keys !== null) assert.equal((await bench.rows(keys)).length, rowCount, `keys of ${what}`);
      const truths = predicateTruthSql(stage, PAGE);
      if (truths !== null) await bench.rows(truths);
      const members = groupMembersSql(stage, stage.keys[0]?.columns.map(() => null) ?? [], PAGE);
      if (members !== null) await bench.rows(members);
      for (const [place, nested] of stage.nested.entries()) {
        const inner = shown.nested?.[place];
        assert.ok(inner !== undefined);
        await checkStages(nested, inner);
      }
    }
  }

  for (const sql of QUERIES) {
    it(`has the rows it counts, and the last those of the query: ${sql.replace(/\s+/g, ' ')}`, async () => {
      const plan = await bench.plan(sql);
      const trace = await bench.run(plan);
      assert.equal(trace.why, null);
      assert.equal(trace.complete, true);
      const own = await bench.rows(sql);
      const last = trace.stages.at(-1);
      assert.deepEqual(await bench.rows(last?.sql ?? null), own);
      assert.equal(last?.rowCount, own.length);
      await checkStages(plan, trace);
    });
  }
});
