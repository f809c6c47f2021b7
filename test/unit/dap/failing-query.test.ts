import assert from 'node:assert/strict';
import { useDebugger } from './world.ts';

describe('debugging a query that does not run', () => {
  const world = useDebugger();
  const start = (sql: string, more: object = {}) => world.client.launch({ sql, database: world.folder.db, ...more });

  it('stops at the clause where it fails, with the rows that came to it', async () => {
    const entry = await start('SELECT name\nFROM customer\nWHERE wages > 3 AND id > 1\nLIMIT 1');
    assert.deepEqual([entry['reason'], await world.client.at()], ['entry', 'FROM customer · 4 rows']);
    const failing = await world.client.move('next');
    const text = 'The query does not run (line 3, column 7): no such column: wages';
    assert.deepEqual([failing['reason'], failing['text']], ['exception', text]);
    const [frame] = await world.client.frames();
    assert.deepEqual([frame?.name, frame?.line, frame?.column], ['WHERE · does not run', 3, 7]);
    const info = await world.client.ask('exceptionInfo', { threadId: 1 });
    assert.deepEqual([info['exceptionId'], info['description']], ['The query does not run', text]);
    assert.deepEqual(
      (await world.client.scopes()).map(({ name }) => name),
      ['Rows before (4 rows)', 'Tables'],
    );
    assert.equal((await world.client.rows('Rows before')).length, 4);
    assert.equal(await world.client.evaluate('max(id)'), '4');
    assert.deepEqual(await world.client.scopes(1, 1), []);
    const { counts } = await world.client.ask<{ counts: { text: string }[] }>('sqlTrace/rowCounts', {
      frameId: frame?.id,
    });
    assert.deepEqual(
      counts.map((count) => count.text),
      ['4 rows', 'does not run'],
    );
    assert.equal((await world.client.move('continue'))['reason'], 'end');
  });

  it('stops there without any breakpoint, and where it does not stop at the first clause', async () => {
    const stop = await start('SELECT name, wages FROM customer WHERE id > 1', { stopOnEntry: false });
    assert.equal(stop['text'], 'The query does not run (line 1, column 14): no such column: wages');
    assert.equal(await world.client.at(), 'SELECT · does not run');
    assert.equal((await world.client.move('stepBack'))['reason'], 'step');
    assert.equal(await world.client.at(), 'WHERE · 3 rows');
  });

  it('can be stepped into up to the clause of a subquery that fails', async () => {
    await start('SELECT name FROM customer WHERE id IN (SELECT customer_id FROM "order" WHERE price > 3)');
    assert.equal((await world.client.move('next'))['reason'], 'exception');
    await world.client.move('stepIn');
    assert.equal(await world.client.at(), 'FROM order · 6 rows');
    const inner = await world.client.move('next');
    assert.match(String(inner['text']), /no such column: price$/);
    assert.equal((await world.client.frames())[0]?.column, 78);
  });

  it('stands at the place of an error of syntax', async () => {
    const syntax = await start('SELECT name\nFROM customer\nWERE id > 1');
    assert.match(String(syntax['text']), /^The query does not run \(line 3, column \d+\): near "/);
    assert.deepEqual(
      [await world.client.at(), (await world.client.frames())[0]?.line],
      ['syntax error · does not run', 3],
    );
    assert.deepEqual(await world.client.scopes(), []);
  });

  it('stands at a table that is not there', async () => {
    const stop = await start('SELECT name FROM clients');
    assert.equal(stop['reason'], 'exception');
    assert.match(String(stop['text']), /no such table: clients/);
    assert.match(
      await world.client.refusal('evaluate', { expression: '1', context: 'watch' }),
      /no such table: clients/,
    );
  });

  it('goes on beside a gold that runs', async () => {
    await start('SELECT wages FROM customer', { gold: 'SELECT name FROM customer' });
    await world.client.ask('setExceptionBreakpoints', { filters: ['rows_diverge', 'no_rows'] });
    assert.equal((await world.client.move('next'))['reason'], 'exception');
    assert.equal(await world.client.at(2), 'SELECT · 4 rows');
  });
});
