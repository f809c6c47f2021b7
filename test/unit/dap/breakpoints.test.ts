import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Breakpoint } from '../../../src/protocol/dap.ts';
import type { Body } from './client.ts';
import { useDebugger } from './world.ts';

const QUERY = `-- who pays
WITH big AS (
  SELECT customer_id FROM "order"
  WHERE amount > 10
)
SELECT c.name
FROM customer c
JOIN big b
  ON b.customer_id = c.id
WHERE c.city = 'Rome'
ORDER BY c.name
`;

describe('breakpoints on clauses', () => {
  const world = useDebugger();
  const { folder } = world;
  let program: string;

  before(() => {
    program = join(folder.path, 'query.sql');
    writeFileSync(program, QUERY);
  });

  const set = async (...breakpoints: Body[]) =>
    (
      await world.client.ask<{ breakpoints: Breakpoint[] }>('setBreakpoints', {
        source: { path: program },
        breakpoints,
      })
    ).breakpoints;
  const launch = (...breakpoints: Body[]) =>
    world.client.launch({ program, database: folder.db, stopOnEntry: false }, () => set(...breakpoints));

  it('move to the start of the clause that they stand in or above, and say so', async () => {
    await world.client.launch({ program, database: folder.db });
    const told = (await set({ line: 1 }, { line: 8 }, { line: 9 }, { line: 11 }, { line: 13 })).map(
      ({ verified, line, column, message }) => [verified, line, column, message],
    );
    assert.deepEqual(told, [
      [true, 3, 22, 'It stands at the start of FROM.'],
      [true, 8, 1, undefined],
      [true, 8, 1, 'It stands at the start of JOIN.'],
      [true, 11, 1, undefined],
      [false, undefined, undefined, 'No clause of the query stands here or below.'],
    ]);
  });

  it('stop where they are reached, inside a WITH too, and once', async () => {
    const stop = await launch({ line: 4 }, { line: 10 });
    assert.equal(stop['reason'], 'breakpoint');
    assert.equal(await world.client.at(), 'WHERE · 4 rows');
    const next = await world.client.move('continue');
    assert.equal((next['hitBreakpointIds'] as number[]).length, 1);
    assert.equal(await world.client.at(), 'WHERE · 0 rows');
    assert.equal((await world.client.move('continue'))['reason'], 'end');
  });

  it('stop a step over the clause that they are nested in', async () => {
    await world.client.launch({ program, database: folder.db }, () => set({ line: 4 }));
    await world.client.move('next');
    await world.client.move('next');
    assert.equal(await world.client.at(), 'WHERE · 4 rows');
    assert.equal((await world.client.frames())[1]?.name, 'WITH big');
  });

  it('stop on the way back', async () => {
    await world.client.launch({ program, database: folder.db }, () => set({ line: 8 }));
    await world.client.move('continue');
    await world.client.move('next');
    await world.client.move('next');
    assert.equal((await world.client.move('reverseContinue'))['reason'], 'breakpoint');
    assert.match(await world.client.at(), /^JOIN b/);
  });

  it('tell their places on a line, and may stand on one of several clauses there', async () => {
    await world.client.launch({ program, database: folder.db });
    const { breakpoints } = await world.client.ask('breakpointLocations', { source: { path: program }, line: 3 });
    assert.deepEqual(breakpoints, [
      { line: 3, column: 3, endLine: 3, endColumn: 21 },
      { line: 3, column: 22, endLine: 3, endColumn: 34 },
    ]);
    const elsewhere = await world.client.ask('breakpointLocations', { source: { path: '/elsewhere.sql' }, line: 3 });
    assert.deepEqual(elsewhere['breakpoints'], []);
    const [first, second] = await set({ line: 3, column: 4 }, { line: 3, column: 25 });
    assert.deepEqual([first?.column, second?.column], [3, 22]);
  });

  it('count only where their condition holds over the rows', async () => {
    await launch({ line: 8, condition: 'count(*) = 0' }, { line: 10, condition: 'count(*) = 0' });
    assert.equal(await world.client.at(), 'WHERE · 0 rows');
  });

  it('count where a condition on single rows holds for one of them', async () => {
    await launch({ line: 7, condition: "name = 'Nobody'" }, { line: 8, condition: "c.name = 'Bo'" });
    assert.match(await world.client.at(), /^JOIN b/);
  });

  it('stop and say why where their condition makes no sense', async () => {
    const told = world.client.next('output');
    await launch({ line: 8, condition: 'wages > 3' });
    assert.match(await world.client.at(), /^JOIN b/);
    assert.match(String((await told)['output']), /"wages > 3" cannot be worked out.*no such column: wages/);
  });

  it('count hits', async () => {
    const [odd, good] = await (async () => {
      await world.client.launch({ program, database: folder.db });
      return set({ line: 8, hitCondition: 'often' }, { line: 8, hitCondition: '= 2' });
    })();
    assert.deepEqual([odd?.verified, good?.verified], [false, true]);
    assert.match(odd?.message ?? '', /"often" is no number of hits/);
    await world.client.move('next');
    await world.client.move('stepBack');
    assert.equal((await world.client.move('next'))['reason'], 'breakpoint');
  });

  it('log instead of stopping, their expressions worked out', async () => {
    const outputs = world.client.events;
    assert.equal((await launch({ line: 8, logMessage: '{count(*)} rows, {name} {wages}!' }))['reason'], 'end');
    const told = outputs.filter(({ event }) => event === 'output').map(({ body }) => body as Body);
    assert.match(String(told[0]?.['output']), /^3 rows, 'Bo' 2×, 'Ann' 1× \{no such column: wages\}!\n$/);
    assert.equal(told[0]?.['line'], 8);
  });

  it('in another file are not verified, and change nothing', async () => {
    await world.client.launch({ program, database: folder.db });
    const args = { source: { path: join(folder.path, 'other.sql') }, breakpoints: [{ line: 1 }] };
    const { breakpoints } = await world.client.ask<{ breakpoints: Breakpoint[] }>('setBreakpoints', args);
    assert.deepEqual(
      [breakpoints[0]?.verified, breakpoints[0]?.message],
      [false, 'This file is not what is being debugged.'],
    );
  });

  it('stay over a restart, and move with the text', async () => {
    await world.client.launch({ program, database: folder.db, stopOnEntry: false }, () => set({ line: 10 }));
    writeFileSync(program, QUERY.replace('JOIN big b\n', 'JOIN big b '));
    try {
      assert.equal((await world.client.move('restart', {}))['reason'], 'breakpoint');
      assert.match(await world.client.at(), /^ORDER BY/);
    } finally {
      writeFileSync(program, QUERY);
    }
  });

  it('in the gold stop both', async () => {
    const gold = join(folder.path, 'gold.sql');
    writeFileSync(gold, 'SELECT name\nFROM customer\nWHERE id > 2');
    const args = { sql: 'SELECT name FROM customer WHERE id > 1', gold, database: folder.db, stopOnEntry: false };
    const stop = await world.client.launch(args, () =>
      world.client.ask('setBreakpoints', { source: { path: gold }, breakpoints: [{ line: 3 }] }),
    );
    assert.equal(stop['reason'], 'breakpoint');
    assert.deepEqual([await world.client.at(1), await world.client.at(2)], ['WHERE · 3 rows', 'WHERE · 2 rows']);
  });
});

describe('stops that nobody placed', () => {
  const world = useDebugger();
  const { folder } = world;

  const launch = (args: Body, filters: string[], filterOptions: Body[] = []) =>
    world.client.launch({ database: folder.db, stopOnEntry: false, ...args }, () =>
      world.client.ask('setExceptionBreakpoints', { filters, filterOptions }),
    );
  const info = () => world.client.ask('exceptionInfo', { threadId: 1 });

  it('are made where the rows diverge from the gold, and say which rows and why', async () => {
    const sql = "SELECT name FROM customer WHERE city = 'Bonn' AND id > 1";
    const stop = await launch({ sql, gold: "SELECT name FROM customer WHERE city = 'Bonn'" }, ['rows_diverge']);
    assert.equal(stop['reason'], 'exception');
    assert.equal(await world.client.at(), 'WHERE · 1 row');
    const { exceptionId, description, breakMode } = await info();
    assert.deepEqual([exceptionId, breakMode], ['Rows diverge from gold', 'always']);
    assert.match(String(description), /drops 1 row that the gold keeps/);
    assert.match(String(description), /Missing \(1\):\n.*'Ann'.*dies at WHERE: id > 1 is false/);
    assert.equal((await world.client.move('continue'))['reason'], 'end');
  });

  it('are not made where the rows are the same', async () => {
    const sql = 'SELECT name FROM customer';
    assert.equal((await launch({ sql, gold: `${sql} WHERE 1` }, ['rows_diverge']))['reason'], 'end');
  });

  it('are made at the first clause that leaves no row, and not at those behind', async () => {
    const sql = "SELECT name FROM customer WHERE city = 'Rome' ORDER BY name";
    assert.equal((await launch({ sql }, ['no_rows']))['reason'], 'exception');
    assert.equal(await world.client.at(), 'WHERE · 0 rows');
    assert.equal((await info())['description'], 'No row is left after WHERE. 4 rows came to it.');
    assert.equal((await world.client.move('continue'))['reason'], 'end');
  });

  it('hold to their condition', async () => {
    const sql = "SELECT name FROM customer WHERE city = 'Rome' ORDER BY name";
    const never = [{ filterId: 'no_rows', condition: 'count(*) > 0' }];
    assert.equal((await launch({ sql }, [], never))['reason'], 'end');
  });

  it('are made where a row that is followed disappears', async () => {
    const sql =
      'SELECT c.name FROM customer c JOIN "order" o ON o.customer_id = c.id WHERE o.status = \'paid\' LIMIT 3';
    await world.client.launch({ sql, database: folder.db });
    const { variablesReference } = await world.client.scope('Rows after');
    const { dataId, description } = await world.client.ask('dataBreakpointInfo', { variablesReference, name: '[2]' });
    assert.equal(description, 'c.rowid = 3 disappears');
    const { breakpoints } = await world.client.ask<{ breakpoints: Breakpoint[] }>('setDataBreakpoints', {
      breakpoints: [{ dataId }],
    });
    assert.equal(breakpoints[0]?.verified, true);
    const stop = await world.client.move('continue');
    assert.deepEqual([stop['reason'], stop['text']], ['data breakpoint', 'c.rowid = 3 is gone after WHERE']);
    assert.equal((await world.client.move('continue'))['reason'], 'end');
  });

  it('are made where the group of a followed row disappears, or LIMIT cuts it off', async () => {
    const follow = async (sql: string, row: string) => {
      await world.client.move('restart', { arguments: { sql, database: folder.db } });
      const { variablesReference } = await world.client.scope('Rows after');
      const { dataId } = await world.client.ask('dataBreakpointInfo', { variablesReference, name: row });
      await world.client.ask('setDataBreakpoints', { breakpoints: [{ dataId }] });
      return (await world.client.move('continue'))['text'] ?? 'never';
    };
    await world.client.launch({ sql: 'SELECT 1', database: folder.db });
    const grouped = 'SELECT customer_id FROM "order" GROUP BY customer_id HAVING count(*) > 1';
    assert.equal(await follow(grouped, '[4]'), 'order.rowid = 5 is gone after HAVING');
    assert.equal(await follow(grouped, '[5]'), 'never');
  });

  it('are not offered for what has no key', async () => {
    await world.client.launch({ sql: 'SELECT status, count(*) FROM "order" GROUP BY status', database: folder.db });
    await world.client.move('next');
    const { variablesReference } = await world.client.scope('Rows after');
    const { dataId } = await world.client.ask('dataBreakpointInfo', { variablesReference, name: '[0]' });
    assert.equal(dataId, null);
    const { breakpoints } = await world.client.ask<{ breakpoints: Breakpoint[] }>('setDataBreakpoints', {
      breakpoints: [{ dataId: 'unheard of' }],
    });
    assert.equal(breakpoints[0]?.verified, false);
  });
});
