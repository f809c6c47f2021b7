import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CancelSignal, Sandbox } from '../../../src/core/ports.ts';
import type { QueryRequest } from '../../../src/protocol/query.ts';
import { CatalogCache } from '../../../src/runtime/catalog.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('the catalog cache', () => {
  const folder = temporaryFolder();
  const pool = new SandboxPool({ children: 1 });
  let queries = 0;
  const counting: Sandbox = {
    query: (request: QueryRequest, signal?: CancelSignal) => {
      queries += 1;
      return pool.query(request, signal);
    },
  };
  beforeEach(() => {
    queries = 0;
  });
  after(async () => {
    await pool.dispose();
    folder.remove();
  });

  async function tablesOf(cache: CatalogCache, path: string): Promise<string[]> {
    return (await cache.read(counting, path)).tables.map(({ name }) => name);
  }

  it('asks the database nothing again while its file stays as it is', async () => {
    const path = folder.database('same.sqlite', 'CREATE TABLE t (a)');
    const cache = new CatalogCache();
    const first = await cache.read(counting, path);
    const asked = queries;
    assert.ok(asked > 0);
    assert.equal(await cache.read(counting, path), first);
    assert.equal(queries, asked);
  });

  it('reads again when the file changes, and when only its write-ahead log does', async () => {
    const path = folder.database('changing.sqlite', 'PRAGMA journal_mode = WAL; CREATE TABLE a (x)');
    const cache = new CatalogCache();
    assert.deepEqual(await tablesOf(cache, path), ['a']);
    const writer = new DatabaseSync(path);
    writer.exec('CREATE TABLE b (x)');
    assert.deepEqual(await tablesOf(cache, path), ['a', 'b']);
    writer.exec('CREATE TABLE c (x)');
    assert.deepEqual(await tablesOf(cache, path), ['a', 'b', 'c']);
    writer.close();
    assert.deepEqual(await tablesOf(cache, path), ['a', 'b', 'c']);
  });

  it('reads again when descriptions appear beside the file', async () => {
    const path = folder.database('described.sqlite', 'CREATE TABLE t (a)');
    const cache = new CatalogCache();
    await cache.read(counting, path);
    mkdirSync(join(folder.path, 'database_description'));
    writeFileSync(
      join(folder.path, 'database_description/t.csv'),
      'original_column_name,column_description\na,letter\n',
    );
    assert.equal((await cache.read(counting, path)).tables[0]?.columns[0]?.meaning, 'letter');
  });

  it('keeps no catalog that was read while the file changed', async () => {
    const path = folder.database('meanwhile.sqlite', 'CREATE TABLE a (x)');
    const writing: Sandbox = {
      query: async (request, signal) => {
        const result = await pool.query(request, signal);
        if (queries === 0) {
          queries = 1;
          const writer = new DatabaseSync(path);
          writer.exec('CREATE TABLE b (x)');
          writer.close();
        }
        return result;
      },
    };
    const cache = new CatalogCache();
    await cache.read(writing, path);
    assert.deepEqual(await tablesOf(cache, path), ['a', 'b']);
  });
});
