import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore, type Store } from '../../../src/runtime/store/store.ts';
import { projectRoot } from '../../support/cli.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

function column(name: string, values: string[] | null = ['a']) {
  return { values: { table: 't', column: name, values, nonNull: 3 }, gaveUp: null };
}

function namesIn(store: Store, path = '/db'): string[] {
  return store.scans.read(path, 'state').map(({ values }) => values.column);
}

/** Runs a module text in a process of its own, with `openStore` in scope. */
function inProcess(text: string): Promise<number | null> {
  const module = new URL('../../../src/runtime/store/store.ts', import.meta.url).href;
  const source = `import { openStore } from ${JSON.stringify(module)};\n${text}`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      cwd: projectRoot,
      stdio: 'inherit',
    });
    child.once('error', reject);
    child.once('close', resolve);
  });
}

describe('the store', () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('makes its folder and file, and keeps what was written for the next process', () => {
    const path = join(folder.path, 'deep/er');
    const store = openStore(path);
    store.scans.write('/db', 'state', [column('c', ["it's", 'ß', '']), column('d', null)], 1);
    store.close();
    const again = openStore(path);
    assert.deepEqual(again.scans.read('/db', 'state'), [column('c', ["it's", 'ß', '']), column('d', null)]);
    assert.deepEqual(again.notes, []);
    again.close();
  });

  it('keeps one state of a database: another replaces it', () => {
    const store = openStore(folder.path);
    store.scans.write('/db', 'old', [column('c')], 1);
    store.scans.write('/db', 'new', [column('d')], 2);
    assert.deepEqual(store.scans.read('/db', 'old'), []);
    assert.equal(store.scans.read('/db', 'new').length, 1);
    store.scans.write('/db', 'new', [column('e')], 3);
    assert.equal(store.scans.read('/db', 'new').length, 2);
    store.close();
  });

  it('forgets the databases that were asked for longest ago', () => {
    const store = openStore(folder.path);
    for (let count = 0; count < 120; count += 1) store.scans.write(`/db${count}`, 'state', [column('c')], count);
    assert.deepEqual(namesIn(store, '/db0'), []);
    assert.deepEqual(namesIn(store, '/db119'), ['c']);
    store.close();
  });

  it('puts a file that is no database aside, says so, and begins anew', () => {
    writeFileSync(join(folder.path, 'store.sqlite'), 'no database at all, but longer than nothing'.repeat(50));
    const store = openStore(folder.path);
    assert.match(store.notes.join(), /was damaged .* made anew/);
    store.scans.write('/db', 'state', [column('c')], 1);
    assert.deepEqual(namesIn(store), ['c']);
    assert.equal(readdirSync(folder.path).filter((name) => name.startsWith('store.sqlite.damaged-')).length, 1);
    store.close();
  });

  it('puts a file that turns out to be damaged in the middle aside while it is used', () => {
    const path = join(folder.path, 'store.sqlite');
    const first = openStore(folder.path);
    first.scans.write(
      '/db',
      'state',
      [
        column(
          'c',
          Array.from({ length: 5000 }, (_, count) => `value ${count}`),
        ),
      ],
      1,
    );
    first.close();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4096);
    writeFileSync(path, bytes);
    const store = openStore(folder.path);
    assert.deepEqual(namesIn(store), []);
    store.scans.write('/db', 'state', [column('d')], 2);
    assert.deepEqual(namesIn(store), ['d']);
    assert.match(store.notes.join(), /was damaged/);
    assert.equal(readdirSync(folder.path).filter((name) => name.startsWith('store.sqlite.damaged-')).length, 1);
    store.close();
  });

  it('lives in memory where it can have no file', () => {
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    const store = openStore(file);
    assert.match(store.notes.join(), /cannot be used: .*Nothing is kept beyond this process/);
    store.scans.write('/db', 'state', [column('c')], 1);
    assert.deepEqual(namesIn(store), ['c']);
    store.close();
  });

  it('goes on without what a newer version has changed beyond its understanding', () => {
    openStore(folder.path).close();
    const database = new DatabaseSync(join(folder.path, 'store.sqlite'));
    database.exec('DROP TABLE scanned_column; PRAGMA user_version = 99');
    database.close();
    const store = openStore(folder.path);
    store.scans.write('/db', 'state', [column('c')], 1);
    assert.deepEqual(namesIn(store), []);
    assert.match(store.notes.join(), /It is only a cache/);
    store.close();
    const after = new DatabaseSync(join(folder.path, 'store.sqlite'));
    assert.equal(after.prepare('PRAGMA user_version').get()?.['user_version'], 99);
    after.close();
  });

  it('serves several processes at once, from its first moment on', async () => {
    const write = (name: string) => `
      const store = openStore(${JSON.stringify(folder.path)});
      for (let count = 0; count < 40; count += 1)
        store.scans.write('/${name}', 'state', [{ values: { table: 't', column: 'c' + count, values: ['a'], nonNull: null }, gaveUp: null }], count);
      if (store.notes.length > 0) throw new Error(store.notes.join());
      store.close();`;
    const codes = await Promise.all(['a', 'b', 'c'].map((name) => inProcess(write(name))));
    assert.deepEqual(codes, [0, 0, 0]);
    const store = openStore(folder.path);
    for (const name of ['a', 'b', 'c']) assert.equal(namesIn(store, `/${name}`).length, 40, name);
    store.close();
  });

  it('does not put aside a file that another process has already made anew', () => {
    const path = join(folder.path, 'store.sqlite');
    const slow = openStore(folder.path);
    slow.scans.write(
      '/db',
      'state',
      [
        column(
          'c',
          Array.from({ length: 5000 }, (_, count) => `value ${count}`),
        ),
      ],
      1,
    );
    slow.close();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4096);
    writeFileSync(path, bytes);
    const one = openStore(folder.path);
    const other = openStore(folder.path);
    assert.deepEqual(namesIn(one), []);
    one.scans.write('/db', 'state', [column('new')], 2);
    namesIn(other);
    assert.deepEqual(namesIn(other), ['new']);
    assert.equal(readdirSync(folder.path).filter((name) => /damaged-\d+$/.test(name)).length, 1);
    one.close();
    other.close();
  });
});
