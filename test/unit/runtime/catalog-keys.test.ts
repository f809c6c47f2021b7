import assert from 'node:assert/strict';
import type { Catalog } from '../../../src/protocol/catalog.ts';
import { readCatalog } from '../../../src/runtime/catalog.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('foreign keys in the catalog', () => {
  const folder = temporaryFolder();
  const pool = new SandboxPool({ children: 1 });
  after(async () => {
    await pool.dispose();
    folder.remove();
  });

  let count = 0;
  async function keysOf(sql: string, child = 'child') {
    count += 1;
    const catalog: Catalog = await readCatalog(pool, folder.database(`${count}.sqlite`, sql));
    const table = catalog.tables.find(({ name }) => name === child);
    assert.ok(table);
    const keys = table.foreignKeys.map(({ from, target, problem }) => ({
      from,
      to: target && `${target.toTable}.${target.toColumn}`,
      problem,
    }));
    return { keys, problems: catalog.problems };
  }

  it('lead to the column that is named, in the spelling of its table', async () => {
    const { keys, problems } = await keysOf(
      'CREATE TABLE Parent (Id INTEGER PRIMARY KEY); CREATE TABLE child (p INT REFERENCES PARENT (ID))',
    );
    assert.deepEqual(keys, [{ from: 'p', to: 'Parent.Id', problem: null }]);
    assert.deepEqual(problems, []);
  });

  it('lead to the primary key where no column is named, also one of several columns, in the order of the key', async () => {
    const { keys, problems } = await keysOf(
      `CREATE TABLE one (id TEXT PRIMARY KEY); CREATE TABLE two (x, y, PRIMARY KEY (y, x)) WITHOUT ROWID;
       CREATE TABLE child (a REFERENCES one, b, c, FOREIGN KEY (b, c) REFERENCES two)`,
    );
    assert.deepEqual(keys.map(({ from, to }) => `${from} ${to}`).sort(), ['a one.id', 'b two.y', 'c two.x']);
    assert.deepEqual(problems, []);
  });

  it('lead to unique columns, whatever the order of a key of several', async () => {
    const { problems } = await keysOf(
      `CREATE TABLE parent (a UNIQUE, b, c); CREATE UNIQUE INDEX pair ON parent (b, c);
       CREATE TABLE child (x REFERENCES parent (a), y, z, FOREIGN KEY (y, z) REFERENCES parent (c, b))`,
    );
    assert.deepEqual(problems, []);
  });

  const broken: [string, string, RegExp, string | null][] = [
    ['a missing table', 'CREATE TABLE child (p REFERENCES nowhere (id))', /there is no table "nowhere"/, null],
    [
      'a missing column',
      'CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (p REFERENCES parent (key))',
      /"parent" has no column "key"/,
      null,
    ],
    [
      'a column that is not unique',
      'CREATE TABLE parent (id INT); CREATE TABLE child (p REFERENCES parent (id))',
      /"parent"."id" is not unique/,
      'parent.id',
    ],
    [
      'a column that is unique among some rows only',
      `CREATE TABLE parent (id INT); CREATE UNIQUE INDEX i ON parent (id) WHERE id > 0;
       CREATE TABLE child (p REFERENCES parent (id))`,
      /"parent"."id" is not unique/,
      'parent.id',
    ],
    [
      'one column of a primary key of two',
      'CREATE TABLE parent (a, b, PRIMARY KEY (a, b)); CREATE TABLE child (p REFERENCES parent (a))',
      /"parent"."a" is not unique/,
      'parent.a',
    ],
    [
      'a primary key of two columns by one',
      'CREATE TABLE parent (a, b, PRIMARY KEY (a, b)); CREATE TABLE child (p REFERENCES parent)',
      /the key has one column, the primary key of "parent" 2 columns/,
      null,
    ],
    [
      'a table without a primary key',
      'CREATE TABLE parent (a); CREATE TABLE child (p REFERENCES parent)',
      /"parent" has no primary key/,
      null,
    ],
    [
      'a view',
      'CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE VIEW parent AS SELECT id FROM t; CREATE TABLE child (p REFERENCES parent (id))',
      /"parent" is a view/,
      null,
    ],
    [
      'a table whose name differs in the case of a letter beyond ASCII',
      'CREATE TABLE "Ärzte" (id INTEGER PRIMARY KEY); CREATE TABLE child (p REFERENCES "ärzte" (id))',
      /there is no table "ärzte"/,
      null,
    ],
  ];
  for (const [what, sql, problem, to] of broken)
    it(`to ${what} are reported`, async () => {
      const { keys, problems } = await keysOf(sql);
      assert.equal(keys.length, 1);
      assert.equal(keys[0]?.to, to);
      assert.match(keys[0]?.problem ?? '', problem);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', /^Foreign key child\(p\) is broken: /);
      assert.match(problems[0] ?? '', problem);
    });

  it('of which one column of two is missing keep the pair that is there', async () => {
    const { keys, problems } = await keysOf(
      'CREATE TABLE parent (a, b, PRIMARY KEY (a, b)); CREATE TABLE child (p, q, FOREIGN KEY (p, q) REFERENCES parent (a, z))',
    );
    assert.deepEqual(
      keys.map(({ from, to }) => [from, to]),
      [
        ['p', 'parent.a'],
        ['q', null],
      ],
    );
    assert.equal(problems.length, 1);
  });
});
