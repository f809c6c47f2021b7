import assert from 'node:assert/strict';
import { temporaryFolder } from '../../support/temporary.ts';
import { nestedOf, planOf, stageOf, steps, TraceBench } from './trace-support.ts';

const SCHEMA = `
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, code TEXT);
INSERT INTO team VALUES (1, 'Red', '07'), (2, 'Blue', '8'), (3, 'Green', '9');
CREATE TABLE player (id INTEGER PRIMARY KEY, team TEXT, num INT, goals INT);
INSERT INTO player VALUES (1, 'RED', 7, 2), (2, 'red', 8, 5), (3, 'Blue', 9, 1), (4, 'Blue', 7, 0);
CREATE VIEW scorer AS SELECT team, sum(goals) AS total FROM player WHERE goals > 0 GROUP BY team;
CREATE VIEW best AS SELECT * FROM scorer WHERE total > 1;`;

describe('what is nested in a trace', () => {
  const folder = temporaryFolder();
  const bench = new TraceBench(folder.database('teams.sqlite', SCHEMA));
  after(async () => {
    await bench.dispose();
    folder.remove();
  });

  it('opens a common table expression where it is first referred to, and a view with its own text', async () => {
    const sql =
      'WITH busy AS (SELECT team FROM player GROUP BY team) SELECT * FROM busy a JOIN busy b ON 1 JOIN best ON 1';
    const trace = await bench.trace(sql);
    const busy = nestedOf(stageOf(trace, 'FROM'));
    assert.deepEqual([busy.source, steps(busy)], [{ kind: 'cte', name: 'busy' }, ['FROM 4', 'GROUP BY 3', 'SELECT 3']]);
    assert.equal(stageOf(trace, 'JOIN', 0).nested, undefined);
    const best = nestedOf(stageOf(trace, 'JOIN', 1));
    assert.deepEqual([best.source, steps(best)], [{ kind: 'view', name: 'best' }, ['FROM 3', 'WHERE 2', 'SELECT 2']]);
    const { offset, length } = stageOf(best, 'WHERE').range;
    assert.equal(best.text.slice(offset, offset + length), 'WHERE total > 1');
    assert.deepEqual(steps(nestedOf(stageOf(best, 'FROM'))), ['FROM 4', 'WHERE 3', 'GROUP BY 3', 'SELECT 3']);
  });

  it('shows a recursive table as one step, and says so', async () => {
    const trace = await bench.trace(
      'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n',
    );
    const nested = nestedOf(stageOf(trace, 'FROM'));
    assert.deepEqual(steps(nested), ['RECURSIVE 5']);
    assert.match(nested.stages[0]?.notes.join() ?? '', /one step/);
  });

  it('shows a common table expression that nothing refers to with the first stage', async () => {
    const trace = await bench.trace('WITH idle AS (SELECT id FROM team) SELECT id FROM player');
    const first = stageOf(trace, 'FROM');
    assert.deepEqual(steps(nestedOf(first)), ['FROM 3', 'SELECT 3']);
    assert.deepEqual(first.notes, ['Nothing refers to idle.']);
  });

  it('traces an uncorrelated subquery as it is', async () => {
    const trace = await bench.trace('SELECT name FROM team WHERE id IN (SELECT num - 6 FROM player WHERE goals > 0)');
    const nested = nestedOf(stageOf(trace, 'WHERE'));
    assert.equal(nested.outer, null);
    assert.deepEqual(steps(nested), ['FROM 4', 'WHERE 3', 'SELECT 3']);
  });

  it('traces a correlated subquery for the first outer row, and for any other that is chosen', async () => {
    const sql = 'SELECT name, (SELECT sum(goals) FROM player p WHERE p.team = team.name) FROM team';
    const plan = await bench.plan(sql);
    const nested = planOf(plan, 'SELECT').nested[0];
    assert.ok(nested?.correlation);
    assert.deepEqual(await bench.rows(nested.correlation.keysSql), [[1], [2], [3]]);
    const first = await bench.run(nested);
    assert.deepEqual(first.outer, [{ alias: 'team', columns: ['rowid'], key: [1] }]);
    // The left operand's collation decides: player.team has none.
    assert.deepEqual(steps(first), ['FROM 4', 'WHERE 0', 'AGGREGATE 1', 'SELECT 1']);
    const chosen = await bench.run(nested.correlation.bind([{ alias: 'team', key: [2] }]));
    assert.deepEqual(steps(chosen), ['FROM 4', 'WHERE 2', 'AGGREGATE 1', 'SELECT 1']);
    assert.deepEqual(await bench.rows(stageOf(chosen, 'SELECT').sql), [[1]]);
  });

  it('keeps collation and affinity of the outer row, which literals would lose', async () => {
    const count = async (condition: string, id: number) => {
      const plan = await bench.plan(`SELECT (SELECT count(*) FROM player p WHERE ${condition}) FROM team`);
      const correlation = planOf(plan, 'SELECT').nested[0]?.correlation;
      assert.ok(correlation);
      const trace = await bench.run(correlation.bind([{ alias: 'team', key: [id] }]));
      return stageOf(trace, 'WHERE').rowCount;
    };
    assert.equal(await count('team.name = p.team', 1), 2);
    assert.equal(await count('p.team = team.name', 1), 0);
    assert.equal(await count('p.num = team.code', 1), 2);
    assert.equal(await count(`p.num || '' = team.code`, 1), 0);
    assert.equal(await count(`p.num || '' = team.code`, 3), 1);
  });

  it('binds each block of nested correlated subqueries to a row of the block around it', async () => {
    const trace =
      await bench.trace(`SELECT name FROM team t WHERE EXISTS (SELECT 1 FROM player p WHERE p.num > 6 AND p.goals =
      (SELECT max(q.goals) FROM player q WHERE q.team = p.team COLLATE NOCASE AND t.name = q.team))`);
    const outer = nestedOf(stageOf(trace, 'WHERE'));
    assert.deepEqual(outer.outer, [{ alias: 't', columns: ['rowid'], key: [1] }]);
    assert.deepEqual(steps(outer), ['FROM 4', 'WHERE 1', 'SELECT 1']);
    const inner = nestedOf(stageOf(outer, 'WHERE'));
    assert.deepEqual(inner.outer, [{ alias: 'p', columns: ['rowid'], key: [1] }]);
    assert.deepEqual(steps(inner), ['FROM 4', 'WHERE 2', 'AGGREGATE 1', 'SELECT 1']);
  });

  it('counts nothing of a correlated subquery where there is no outer row', async () => {
    const trace = await bench.trace(
      'SELECT (SELECT count(*) FROM player p WHERE p.num = t.id) FROM team t WHERE t.id > 9',
    );
    const nested = nestedOf(stageOf(trace, 'SELECT'));
    assert.equal(nested.outer, null);
    assert.deepEqual(steps(nested), ['FROM null', 'WHERE null', 'AGGREGATE null', 'SELECT null']);
    assert.match(stageOf(nested, 'FROM').notes.join(), /no outer row/);
    assert.equal(trace.complete, true);
  });

  it('opens parenthesised joins and keeps the names inside in sight', async () => {
    const trace = await bench.trace(
      'SELECT t.name FROM team t LEFT JOIN (player p JOIN player q ON q.id = p.id) ON p.num = t.id + 6',
    );
    const join = stageOf(trace, 'JOIN');
    assert.deepEqual(join.distinct, { t: 3, p: 4, q: 4 });
    assert.deepEqual(steps(nestedOf(join)), ['FROM 4', 'JOIN 4']);
  });

  it('shows the rows of a subquery without alias inside one that depends on an outer row', async () => {
    const plan = await bench.plan(
      'SELECT (SELECT count(*) FROM (SELECT id, num FROM player WHERE num > team.id)) FROM team',
    );
    const [from] = plan.stages.at(-1)?.nested[0]?.stages ?? [];
    assert.ok(from !== undefined);
    const rows = await bench.rows(from.sql);
    assert.ok(rows.length > 0 && rows.every((row) => row.length === 2));
  });

  it('says what it does not open: a WITH that gives a name a second meaning', async () => {
    const trace = await bench.trace(
      'WITH a AS (SELECT 1 x) SELECT * FROM a WHERE x IN (WITH a AS (SELECT 2 x) SELECT x FROM a)',
    );
    assert.equal(trace.complete, false);
    assert.match(trace.why ?? '', /second meaning/);
    assert.deepEqual(steps(trace), ['FROM 1', 'WHERE 0', 'SELECT 0']);
  });

  it('does not let an inner WITH change what a table of the outer block means', async () => {
    const trace = await bench.trace(
      'SELECT (WITH player AS (SELECT 9 x) SELECT count(*) FROM player WHERE x > team.id) FROM team, player',
    );
    assert.equal(trace.complete, false);
    assert.match(trace.why ?? '', /player a second meaning/);
    assert.equal(stageOf(trace, 'SELECT').rowCount, 12);
  });
});
