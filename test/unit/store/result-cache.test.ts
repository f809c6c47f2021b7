import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { contentStateOf } from '../../../src/runtime/store/content-state.ts';
import { MOST_ENTRY_BYTES, ResultCache } from '../../../src/runtime/store/result-cache.ts';
import { openStore } from '../../../src/runtime/store/store.ts';
import { StoreFile } from '../../../src/runtime/store/store-file.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

describe('results kept by the content of databases', () => {
  let folder: TemporaryFolder;

  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  function aged(path: string, seconds = 0): string {
    const time = new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
    utimesSync(path, time, time);
    return path;
  }

  it('lets go of what was used longest ago once there is too much', () => {
    const notes: string[] = [];
    const file = new StoreFile(join(folder.path, 'storage'), (note) => notes.push(note));
    const cache = new ResultCache(file, 3_500);
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      cache.put(key, Buffer.alloc(1_000, key), []);
      cache.flush();
    }
    cache.close();
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key) !== null),
      ['c', 'd', 'e'],
    );
    assert.deepEqual(cache.get('e'), Buffer.alloc(1_000, 'e'));
    file.close();
    assert.deepEqual(notes, []);
  });

  it('keeps no entry that is too large', () => {
    const store = openStore(join(folder.path, 'storage'));
    store.results.put('large', Buffer.alloc(MOST_ENTRY_BYTES + 1), []);
    assert.equal(store.results.get('large'), null);
    store.close();
  });

  it('knows a database by its content, wherever it lies, and reads it once', async () => {
    const store = openStore(join(folder.path, 'storage'));
    const hashOf = async (path: string) => {
      const state = contentStateOf(path);
      return state === null ? null : await store.contents.of(state);
    };
    const sql = 'CREATE TABLE t(a); INSERT INTO t VALUES (1)';
    const [one, other] = [aged(folder.database('a.sqlite', sql)), aged(folder.database('b.sqlite', sql))];
    const hash = await hashOf(one);
    assert.match(hash ?? '', /^[0-9a-f]{64}$/);
    assert.equal(await hashOf(other), hash);
    const changed = aged(folder.database('c.sqlite', sql.replace('(1)', '(2)')));
    assert.notEqual(await hashOf(changed), hash);
    assert.equal(await hashOf(join(folder.path, 'missing.sqlite')), null);
    store.close();
    const again = openStore(join(folder.path, 'storage'));
    const state = contentStateOf(one);
    assert.equal(state && (await again.contents.of(state)), hash);
    again.close();
  });

  it('says nothing of a database that was written just now', () => {
    const path = aged(folder.database('a.sqlite', 'CREATE TABLE t(a)'));
    assert.ok(contentStateOf(path));
    const now = new Date();
    utimesSync(path, now, now);
    assert.equal(contentStateOf(path), null);
  });
});
