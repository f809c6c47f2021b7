import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readCatalog } from '../../../src/runtime/catalog.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { needShared } from '../../support/shared.ts';

/** What SQLite, asked in this process without the sandbox, says of a file. */
function expectedTables(path: string): Map<string, string[]> {
  const database = new DatabaseSync(path, { readOnly: true, enableDoubleQuotedStringLiterals: true });
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all();
  const columns = database.prepare('SELECT name FROM pragma_table_xinfo(?)');
  const found = tables.map(({ name }): [string, string[]] => [
    String(name),
    columns.all(name ?? null).map((column) => String(column['name'])),
  ]);
  database.close();
  return new Map(found);
}

function databasesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.sqlite'))
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('the catalog of published databases', () => {
  const pool = new SandboxPool();
  after(() => pool.dispose());

  for (const [folder, least] of [
    ['data/spider/database', 150],
    ['data/samples', 2],
  ] as const)
    it(`holds every table and column of every file of ${folder}`, async function () {
      const files = databasesUnder(needShared(this, folder));
      assert.ok(files.length >= least);
      for (const path of files) {
        const { tables } = await readCatalog(pool, path);
        const expected = expectedTables(path);
        assert.deepEqual(
          new Map(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)])),
          expected,
          path,
        );
        assert.deepEqual(
          tables.filter(({ problem }) => problem !== null),
          [],
          path,
        );
      }
    });

  it('reports the foreign keys that are broken as published', async function () {
    const folder = needShared(this, 'data/spider/database');
    const problemsOf = async (name: string) => (await readCatalog(pool, join(folder, name, `${name}.sqlite`))).problems;
    assert.deepEqual(await problemsOf('concert_singer'), []);
    assert.deepEqual(await problemsOf('restaurants'), [
      'Foreign key LOCATION(RESTAURANT_ID) is broken: "RESTAURANT" has no column "RESTAURANT_ID".',
    ]);
    assert.ok((await problemsOf('imdb')).includes('Foreign key tags(kid) is broken: "keyword" has no column "kid".'));
    assert.ok(
      (await problemsOf('dorm_1')).includes('Foreign key Lives_in(dormid) is broken: "Dorm"."dormid" is not unique.'),
    );
    assert.equal((await problemsOf('yelp')).length, 7);
  });
});
