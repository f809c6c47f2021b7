import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useDebugger } from './world.ts';

const QUERY = `WITH big AS (
  SELECT customer_id, sum(amount) AS total FROM "order" GROUP BY customer_id HAVING total > 20
)
SELECT c.name, b.total
FROM customer c
JOIN big b ON b.customer_id = c.id
WHERE c.city IS NOT NULL
ORDER BY b.total DESC`;

const CORRELATED = `SELECT name FROM customer c
WHERE 30 < (SELECT sum(amount) FROM "order" o WHERE o.customer_id = c.id)`;

describe('stepping through the clauses of a query', () => {
  const world = useDebugger();
  const { folder } = world;

  const launch = (sql: string, more = {}) => world.client.launch({ sql, database: folder.db, ...more });
  /** The clauses at which a kind of move stops, one after the other, until the end. */
  async function trail(command: string): Promise<string[]> {
    const names = [await world.client.at()];
    while ((await world.client.move(command))['reason'] !== 'end') names.push(await world.client.at());
    return names;
  }

  it('goes in the order in which SQL works, with the rows after each clause', async () => {
    assert.equal((await launch(QUERY))['reason'], 'entry');
    assert.deepEqual(await trail('next'), [
      'FROM customer c · 4 rows',
      'JOIN b · 2 rows',
      'WHERE · 2 rows',
      'SELECT · 2 rows',
      'ORDER BY · 2 rows',
    ]);
  });

  it('steps into a WITH, shows where it is called, and comes back to the clause around it', async () => {
    await launch(QUERY);
    await world.client.move('next');
    await world.client.move('stepIn');
    const frames = await world.client.frames();
    assert.deepEqual(
      frames.map(({ name, line }) => [name, line]),
      [
        ['FROM order · 6 rows', 2],
        ['WITH big', 2],
        ['JOIN b · 2 rows', 6],
        ['query', 1],
      ],
    );
    await world.client.move('next');
    assert.equal(await world.client.at(), 'GROUP BY · 4 groups');
    await world.client.move('stepOut');
    assert.equal(await world.client.at(), 'JOIN b · 2 rows');
    assert.equal((await world.client.frames()).length, 2);
    await world.client.move('stepIn');
    assert.equal(await world.client.at(), 'WHERE · 2 rows');
  });

  it('comes back after the last clause of a WITH, and does not go through it again', async () => {
    await launch(QUERY);
    await world.client.move('next');
    await world.client.move('stepIn');
    const names: string[] = [];
    for (let count = 0; count < 5; count++) {
      await world.client.move('next');
      names.push(await world.client.at());
    }
    assert.deepEqual(names, [
      'GROUP BY · 4 groups',
      'HAVING · 3 groups',
      'SELECT · 3 groups',
      'JOIN b · 2 rows',
      'WHERE · 2 rows',
    ]);
  });

  it('goes back clause by clause, out of a WITH at its start, and stops at the entry', async () => {
    await launch(QUERY);
    await world.client.move('next');
    await world.client.move('stepIn');
    await world.client.move('next');
    const stops: unknown[] = [];
    for (let count = 0; count < 4; count++) {
      const { reason } = await world.client.move('stepBack');
      stops.push([reason, await world.client.at()]);
    }
    assert.deepEqual(stops, [
      ['step', 'FROM order · 6 rows'],
      ['step', 'JOIN b · 2 rows'],
      ['step', 'FROM customer c · 4 rows'],
      ['entry', 'FROM customer c · 4 rows'],
    ]);
    await world.client.move('next');
    assert.equal((await world.client.move('reverseContinue'))['reason'], 'entry');
    assert.equal(await world.client.at(), 'FROM customer c · 4 rows');
  });

  it('steps into the arms of a compound one after the other', async () => {
    await launch('SELECT name FROM customer UNION SELECT status FROM "order"');
    assert.equal(await world.client.at(), 'UNION · 6 rows');
    await world.client.move('stepIn');
    assert.equal(await world.client.at(), 'FROM customer · 4 rows');
    await world.client.move('stepOut');
    await world.client.move('stepIn');
    assert.equal(await world.client.at(), 'FROM order · 6 rows');
    await world.client.move('stepOut');
    assert.equal((await world.client.move('stepIn'))['reason'], 'end');
  });

  it('shows a view in its own text', async () => {
    await launch('SELECT count(*) FROM paid');
    await world.client.move('stepIn');
    const [clause, view] = await world.client.frames();
    assert.deepEqual(
      [clause?.name, view?.name, clause?.source?.name],
      ['FROM order · 6 rows', 'view paid', 'paid.sql'],
    );
    const { content } = await world.client.ask('source', { sourceReference: clause?.source?.sourceReference });
    assert.match(String(content), /^CREATE VIEW paid AS SELECT/);
  });

  it('offers the outer rows for which a correlated subquery can be shown', async () => {
    await launch(CORRELATED);
    await world.client.move('next');
    const [frame] = await world.client.frames();
    const { targets } = await world.client.ask<{ targets: { id: number; label: string }[] }>('stepInTargets', {
      frameId: frame?.id,
    });
    assert.equal(targets.length, 4);
    assert.match(targets[1]?.label ?? '', /for c\.rowid = 2$/);
    await world.client.move('stepIn', { threadId: 1, targetId: targets[1]?.id });
    await world.client.move('next');
    assert.deepEqual(await world.client.rows('Rows after'), [
      "id 3, customer_id 2, amount 30, status 'paid'",
      "id 6, customer_id 2, amount 30, status 'paid'",
    ]);
    const { variablesReference } = await world.client.scope('Outer row');
    assert.deepEqual(
      (await world.client.variables(variablesReference)).map(({ name, value }) => [name, value]),
      [['c.rowid', '2']],
    );
    await world.client.move('stepOut');
    assert.equal(await world.client.at(), 'WHERE · 1 row');
  });

  it('goes to a clause by its line, in a nested query too', async () => {
    writeFileSync(join(folder.path, 'goto.sql'), QUERY);
    const program = join(folder.path, 'goto.sql');
    await world.client.launch({ program: 'goto.sql', database: 'shop.sqlite' });
    const { targets } = await world.client.ask<{ targets: { id: number; label: string; line: number }[] }>(
      'gotoTargets',
      {
        source: { path: program },
        line: 7,
      },
    );
    assert.deepEqual(
      targets.map(({ label, line }) => [label, line]),
      [['WHERE', 7]],
    );
    assert.equal((await world.client.move('goto', { threadId: 1, targetId: targets[0]?.id }))['reason'], 'goto');
    assert.equal(await world.client.at(), 'WHERE · 2 rows');
    assert.match(await world.client.refusal('goto', { threadId: 1, targetId: 99 }), /no target 99/);
  });

  it('restarts with the text as it is now', async () => {
    const program = join(folder.path, 'changing.sql');
    writeFileSync(program, 'SELECT name FROM customer WHERE id > 1');
    await world.client.launch({ program, database: folder.db });
    await world.client.move('next');
    assert.equal(await world.client.at(), 'WHERE · 3 rows');
    writeFileSync(program, 'SELECT name FROM customer WHERE id > 3');
    assert.equal((await world.client.move('restart', {}))['reason'], 'entry');
    await world.client.move('next');
    assert.equal(await world.client.at(), 'WHERE · 1 row');
  });

  it('steps through the query on a line of a file that holds several', async () => {
    const program = join(folder.path, 'several.sql');
    writeFileSync(program, '-- all\nSELECT * FROM customer;\n\nSELECT status\nFROM "order";\nDELETE FROM "order";\n');
    await world.client.launch({ program, database: folder.db, line: 5 });
    const [frame] = await world.client.frames();
    assert.deepEqual([frame?.name, frame?.line], ['FROM order · 6 rows', 5]);
  });

  it('gives the part of the stack that is asked for', async () => {
    await launch(QUERY);
    await world.client.move('next');
    await world.client.move('stepIn');
    const names = async (window: object) => (await world.client.frames(1, { ...window })).map(({ name }) => name);
    assert.deepEqual(await names({ startFrame: 0, levels: 1 }), ['FROM order · 6 rows']);
    assert.deepEqual(await names({ startFrame: 1, levels: 2 }), ['WITH big', 'JOIN b · 2 rows']);
    assert.deepEqual(await names({ startFrame: 4, levels: 20 }), []);
    const { totalFrames } = await world.client.ask('stackTrace', { threadId: 1, startFrame: 0, levels: 1 });
    assert.equal(totalFrames, 4);
  });

  it('counts lines and columns from 0 for a client that does', async () => {
    await world.client.ask('initialize', { linesStartAt1: false, columnsStartAt1: false });
    const initialized = world.client.next('initialized');
    await world.client.ask('launch', { sql: QUERY, database: folder.db });
    await initialized;
    const stopped = world.client.next('stopped');
    await world.client.ask('configurationDone');
    await stopped;
    const [frame] = await world.client.frames();
    assert.deepEqual([frame?.line, frame?.column], [4, 0]);
  });

  it('runs to the end without a stop where none is asked for', async () => {
    assert.equal((await launch(QUERY, { stopOnEntry: false }))['reason'], 'end');
  });
});

describe('a query and its gold', () => {
  const PRED = 'SELECT c.name FROM customer c JOIN "order" o ON o.customer_id = c.id WHERE o.status = \'open\'';
  const GOLD =
    'SELECT c.name FROM customer AS c JOIN "order" AS o ON o.customer_id = c.id WHERE o.status = \'paid\' GROUP BY c.id';
  const world = useDebugger();
  const { folder } = world;

  it('step together, whichever of them is stepped', async () => {
    await world.client.launch({ sql: PRED, gold: GOLD, database: folder.db });
    const both = async () => [await world.client.at(1), await world.client.at(2)];
    const { threads } = await world.client.ask('threads');
    assert.deepEqual(threads, [
      { id: 1, name: 'predicted' },
      { id: 2, name: 'gold' },
    ]);
    await world.client.move('next');
    assert.deepEqual(await both(), ['JOIN order o · 5 rows', 'JOIN order o · 5 rows']);
    await world.client.move('next');
    assert.deepEqual(await both(), ['WHERE · 2 rows', 'WHERE · 3 rows']);
    await world.client.move('next', { threadId: 2 });
    assert.deepEqual(await both(), ['WHERE · 2 rows', 'GROUP BY · 2 groups']);
    await world.client.move('next', { threadId: 2 });
    assert.deepEqual(await both(), ['SELECT · 2 rows', 'SELECT · 2 groups']);
    assert.equal((await world.client.move('next'))['reason'], 'end');
  });

  it('step together into what both have nested', async () => {
    const nested = (status: string) =>
      `SELECT name FROM customer WHERE id IN (SELECT customer_id FROM "order" WHERE status = '${status}')`;
    await world.client.launch({ sql: nested('open'), gold: nested('paid'), database: folder.db });
    await world.client.move('next');
    await world.client.move('stepIn');
    await world.client.move('next');
    assert.deepEqual([await world.client.at(1), await world.client.at(2)], ['WHERE · 2 rows', 'WHERE · 4 rows']);
  });

  it('show the gold of a file in that file, that of a text by reference', async () => {
    writeFileSync(join(folder.path, 'gold.sql'), GOLD);
    await world.client.launch({ sql: PRED, gold: 'gold.sql', database: folder.db });
    assert.equal((await world.client.frames(2))[0]?.source?.path, join(folder.path, 'gold.sql'));
    const [frame] = await world.client.frames(1);
    const { content } = await world.client.ask('source', { sourceReference: frame?.source?.sourceReference });
    assert.equal(content, PRED);
  });

  it('go on with the query alone where the gold does not run, and say so', async () => {
    const told = world.client.next('output');
    await world.client.launch({ sql: PRED, gold: 'SELECT wages FROM customer', database: folder.db });
    assert.match(
      String((await told)['output']),
      /The gold does not run \(line 1, column 8\): no such column: wages\. The query/,
    );
    assert.match(await world.client.refusal('stackTrace', { threadId: 2 }), /no thread 2/);
  });

  it('stop inside the WITH in which their rows part', async () => {
    const gold = 'WITH big AS (SELECT id FROM "order" WHERE amount > 15) SELECT count(*) FROM big';
    await world.client.launch({ sql: gold.replace('> 15', '> 25'), gold, database: world.folder.db }, () =>
      world.client.ask('setExceptionBreakpoints', { filters: ['rows_diverge'] }),
    );
    const stop = await world.client.move('continue');
    assert.deepEqual([stop['reason'], await world.client.at()], ['exception', 'WHERE · 3 rows']);
    assert.match(String(stop['text']), /^In WITH big: WHERE drops 1 row that the gold keeps/);
    assert.equal(await world.client.at(2), 'WHERE · 4 rows');
    assert.equal((await world.client.move('continue'))['reason'], 'end');
  });
});
