import assert from 'node:assert/strict';
import { DapClient } from './client.ts';
import { shopFolder, useDebugger } from './world.ts';

describe('the rows of a clause in the debugger', () => {
  const world = useDebugger();
  const { folder } = world;

  /** Launches a query and steps so many clauses. */
  async function stepped(sql: string, steps: number): Promise<void> {
    await world.client.launch({ sql, database: folder.db });
    for (let count = 0; count < steps; count++) await world.client.move('next');
  }
  const names = async () => (await world.client.scopes()).map(({ name }) => name);

  it('stand in scopes: after it, before it, lost by it, and the tables', async () => {
    await stepped("SELECT name FROM customer WHERE city = 'Bonn' AND id > 1", 1);
    assert.deepEqual(await names(), [
      'Rows after this clause (1 row)',
      'Rows before (4 rows)',
      'Lost here (3 rows)',
      'Tables',
    ]);
    assert.deepEqual(await world.client.rows('Rows after'), ["id 4, name 'Dee', city 'Bonn'"]);
    assert.deepEqual(await world.client.rows('Tables'), ['4 rows']);
  });

  it('that a condition drops tell which of its parts they fail, and how', async () => {
    await stepped("SELECT name FROM customer WHERE city = 'Bonn' AND id > 1", 1);
    assert.deepEqual(await world.client.rows('Lost here'), [
      "id > 1 is false: id 1, name 'Ann', city 'Bonn'",
      "city = 'Bonn' is false: id 2, name 'Bo', city 'Ulm'",
      "city = 'Bonn' is NULL: id 3, name 'Can', city NULL",
    ]);
    const { variablesReference } = await world.client.scope('Lost here');
    const [, , row] = await world.client.variables(variablesReference);
    assert.deepEqual(
      (await world.client.variables(row?.variablesReference ?? 0)).map(({ name, value, type }) => [name, value, type]),
      [
        ["city = 'Bonn'", 'NULL', undefined],
        ['id > 1', 'true', undefined],
        ['id', '3', 'integer'],
        ['name', "'Can'", 'text'],
        ['city', 'NULL', 'null'],
      ],
    );
  });

  it('that a join drops and multiplies are told apart', async () => {
    await stepped('SELECT 1 FROM customer c JOIN "order" o ON o.customer_id = c.id', 1);
    assert.deepEqual(await world.client.rows('Lost here'), ["id 4, name 'Dee', city 'Bonn'"]);
    assert.deepEqual(
      (await world.client.rows('Added here')).map((row) => row.slice(0, 10)),
      ['id 1, name', 'id 2, name'],
    );
  });

  it('that a RIGHT JOIN adds stand among the added ones', async () => {
    await stepped('SELECT 1 FROM customer c RIGHT JOIN "order" o ON o.customer_id = c.id AND o.amount > 20', 1);
    const added = await world.client.rows('Added here');
    assert.equal(added.filter((row) => row.startsWith('id NULL')).length, 4);
  });

  it('that DISTINCT, HAVING and LIMIT take away', async () => {
    await stepped('SELECT DISTINCT status FROM "order"', 2);
    assert.equal((await world.client.scope('Lost here')).name, 'Lost here (4 rows)');
    assert.deepEqual((await world.client.rows('Lost here')).sort(), [
      "status 'open'",
      "status 'paid'",
      "status 'paid'",
      "status 'paid'",
    ]);
    await world.client.move('restart', { arguments: { sql: LIMITED, database: folder.db } });
    for (let count = 0; count < 3; count++) await world.client.move('next');
    assert.deepEqual(await world.client.rows('Rows after'), ['id 2', 'id 3']);
    assert.deepEqual(await world.client.rows('Lost here'), ['id 1', 'id 4', 'id 5', 'id 6']);
    await world.client.move('restart', { arguments: { sql: GROUPED, database: folder.db } });
    await world.client.move('next');
    await world.client.move('next');
    assert.deepEqual(
      (await world.client.rows('Lost here')).map((row) => row.split(':')[0]),
      ['count(*) > 1 is false', 'count(*) > 1 is false'],
    );
  });
  const LIMITED = 'SELECT id FROM "order" ORDER BY id LIMIT 2 OFFSET 1';
  const GROUPED = 'SELECT customer_id FROM "order" GROUP BY customer_id HAVING count(*) > 1';

  it('that full-text search does not find are lost', async () => {
    const db = folder.database(
      'notes.sqlite',
      "CREATE VIRTUAL TABLE note USING fts5(body); INSERT INTO note VALUES ('red fox'), ('blue'), ('red')",
    );
    await world.client.launch({ sql: "SELECT body FROM note WHERE note MATCH 'red'", database: db });
    await world.client.move('next');
    assert.deepEqual(await world.client.rows('Lost here'), ["body 'blue'"]);
  });

  it('that set operations take away and add, by either side', async () => {
    const two = (operator: string) =>
      `SELECT city FROM customer ${operator} SELECT 'Bonn' FROM "order" WHERE id < 3 ${operator} SELECT 'Wien'`;
    const seen = async (scope: string) => (await world.client.rows(scope)).sort();
    await stepped(two('UNION'), 0);
    assert.deepEqual(
      (await world.client.scopes()).map(({ name }) => name),
      [
        'Rows after this clause (3 rows)',
        'Rows before (4 rows)',
        'UNION with (2 rows)',
        'Lost here (3 rows)',
        'Added here',
      ],
    );
    assert.deepEqual(await seen('Lost here'), ["city 'Bonn'", "city 'Bonn'", "city 'Bonn'"]);
    assert.deepEqual(await seen('Added here'), []);
    await world.client.move('next');
    assert.deepEqual(await seen('Rows before'), ["city 'Bonn'", "city 'Ulm'", 'city NULL']);
    assert.deepEqual(await seen('Added here'), ["city 'Wien'"]);
    const restarted = async (sql: string) => world.client.move('restart', { arguments: { sql, database: folder.db } });
    await restarted(two('UNION ALL'));
    assert.deepEqual(await seen('Added here (2 rows)'), ["city 'Bonn'", "city 'Bonn'"]);
    await assert.rejects(world.client.scope('Lost here'), /no scope Lost here/);
    await restarted(`SELECT city FROM customer EXCEPT SELECT 'Ulm'`);
    assert.deepEqual(await seen('Lost here (2 rows)'), ["city 'Bonn'", "city 'Ulm'"]);
    await restarted(`SELECT city FROM customer INTERSECT SELECT NULL`);
    assert.deepEqual(await seen('Lost here (3 rows)'), ["city 'Bonn'", "city 'Bonn'", "city 'Ulm'"]);
  });

  it('come in pages, as many as are asked for', async () => {
    const sql = `WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 999) SELECT i FROM n`;
    await stepped(sql, 1);
    const scope = await world.client.scope('Rows after');
    assert.equal(scope.indexedVariables, 1000);
    const page = async (window: object) =>
      (await world.client.variables(scope.variablesReference, { ...window })).map(
        ({ name, value }) => `${name} ${value}`,
      );
    assert.deepEqual(await page({ filter: 'indexed', start: 998, count: 100 }), ['[998] i 998', '[999] i 999']);
    assert.deepEqual(await page({ filter: 'indexed', start: 5, count: 2 }), ['[5] i 5', '[6] i 6']);
    assert.deepEqual(await page({ filter: 'indexed', start: 2000, count: 2 }), []);
    assert.deepEqual(await page({ filter: 'named' }), []);
    assert.deepEqual(await page({ filter: 'indexed', start: -5, count: 1.5 }), ['[0] i 0']);
    assert.equal((await page({})).length, 1000);
  });

  it('say that there are more where nobody has counted them', async () => {
    const sql = `WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 299)
      SELECT 1 FROM n a JOIN n b ON b.i = a.i + 200`;
    await stepped(sql, 1);
    const lost = await world.client.rows('Lost here');
    assert.equal(lost.length, 101);
    assert.match(lost.at(-1) ?? '', /the first 100 are shown/);
  });

  it('show every kind of value apart, and columns of one name apart', async () => {
    await stepped("SELECT NULL AS a, 'NULL' AS a, 1.5 AS b, x'00ff' AS c, 9007199254740993 AS d, 'it''s' AS e", 0);
    const { variablesReference } = await world.client.scope('Rows after');
    const [row] = await world.client.variables(variablesReference);
    assert.deepEqual(
      (await world.client.variables(row?.variablesReference ?? 0)).map(({ name, value, type }) => [name, value, type]),
      [
        ['a', 'NULL', 'null'],
        ['a #2', "'NULL'", 'text'],
        ['b', '1.5', 'real'],
        ['c', "x'00ff' (2 bytes)", 'blob'],
        ['d', '9007199254740993', 'integer'],
        ['e', "'it''s'", 'text'],
      ],
    );
  });

  it('belong to the clause that is shown: what was read of an earlier one is refused', async () => {
    await stepped('SELECT name FROM customer WHERE id > 1', 0);
    const { variablesReference } = await world.client.scope('Rows after');
    await world.client.move('next');
    assert.match(await world.client.refusal('variables', { variablesReference }), /belongs to a clause that was left/);
  });

  it('are counted at the end of every clause that has worked', async () => {
    await world.client.launch({ sql: 'SELECT name\nFROM customer\nWHERE id > 1\nLIMIT 2', database: folder.db });
    await world.client.move('next');
    await world.client.move('next');
    const [frame] = await world.client.frames();
    assert.deepEqual((await world.client.ask('sqlTrace/rowCounts', { frameId: frame?.id }))['counts'], [
      { line: 2, column: 14, text: '4 rows' },
      { line: 3, column: 13, text: '3 rows' },
      { line: 1, column: 12, text: '3 rows' },
    ]);
  });

  it('of the whole query stand with its frame', async () => {
    await stepped('SELECT name FROM customer WHERE id > 3', 0);
    const [scope] = await world.client.scopes(1, 1);
    assert.equal(scope?.name, 'Result (1 row)');
    assert.deepEqual(
      (await world.client.variables(scope?.variablesReference ?? 0)).map(({ value }) => value),
      ["name 'Dee'"],
    );
  });
});

describe('evaluating over the rows of a clause', () => {
  let folder: ReturnType<typeof shopFolder>;
  let client: DapClient;
  const QUERY = 'SELECT c.city, count(*) AS n FROM customer c JOIN "order" o ON o.customer_id = c.id GROUP BY c.city';

  before(async () => {
    folder = shopFolder();
    client = new DapClient(folder.path);
    await client.launch({ sql: QUERY, database: folder.db });
    await client.move('next');
  });
  after(async () => {
    await client.close();
    folder.remove();
  });

  it('runs a query FROM rows', async () => {
    assert.equal(await client.evaluate('SELECT max(amount) FROM rows'), '30');
    assert.equal(await client.evaluate('SELECT name FROM rows WHERE amount > 10;'), '3 rows');
    assert.equal(await client.evaluate('WITH r AS (SELECT * FROM rows) SELECT count(*) FROM r'), '5');
    assert.equal(await client.evaluate('SELECT 1 FROM rows WHERE 0'), '0 rows');
  });

  it('works out an expression, with the names of the rows or of the query', async () => {
    assert.equal(await client.evaluate('count(*)'), '5');
    assert.equal(await client.evaluate('amount IS NULL'), '0 4×, 1 1×');
    assert.equal(await client.evaluate('o.status'), "'paid' 3×, 'open' 2×");
    assert.equal(await client.evaluate('sum(o.amount) -- in all'), '90');
  });

  it('says what SQLite says of a text that is wrong', async () => {
    await assert.rejects(client.evaluate('wages'), /no such column: wages/);
    await assert.rejects(client.evaluate('count('), /incomplete input|syntax error/);
    await assert.rejects(client.evaluate('DELETE FROM rows'), /syntax error/);
    await assert.rejects(client.evaluate('1); DROP TABLE customer; --'), /syntax error|only one|incomplete/i);
  });

  it('means groups in a watch, and each group in a hover', async () => {
    await client.move('next');
    assert.equal(await client.evaluate('count(*)'), '3');
    assert.equal(await client.evaluate('count(*)', 'hover'), '2 2×, 1 1×');
    assert.equal(await client.evaluate('c.city', 'hover'), "NULL 1×, 'Bonn' 1×, 'Ulm' 1×");
  });

  it('offers the columns of the rows while a text is typed', async () => {
    const [frame] = await client.frames();
    const labels = async (text: string) => {
      const args = { frameId: frame?.id, text, column: text.length + 1 };
      const { targets } = await client.ask<{ targets: { label: string }[] }>('completions', args);
      return targets.map(({ label }) => label);
    };
    assert.deepEqual(await labels('SELECT ci'), ['city']);
    assert.deepEqual(await labels('rows.n'), ['n']);
    assert.ok((await labels('cou')).includes('count(*)'));
    assert.deepEqual(await labels('other.'), []);
  });

  it('keeps its own rows apart from a table of that name', async () => {
    const db = folder.database('rows.sqlite', 'CREATE TABLE rows (a); INSERT INTO rows VALUES (1), (2), (3)');
    const other = new DapClient(folder.path);
    try {
      await other.launch({ sql: 'SELECT a FROM rows WHERE a > 1', database: db });
      await other.move('next');
      assert.equal(await other.evaluate('SELECT count(*) FROM rows'), '2');
      assert.equal(await other.evaluate('sum(a)'), '5');
    } finally {
      await other.close();
    }
  });
});
