import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { locateDatabases } from '../../../src/runtime/evals/databases.ts';
import { loadDataset } from '../../../src/runtime/evals/load-dataset.ts';
import { needShared } from '../../support/shared.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { failure } from './dataset-support.ts';

describe('databases of a dataset', () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  const of = (db_id: string) => ({ db_id, database: null });
  const inSuite = (database: string) => ({ db_id: 'x', database });

  /** Makes an empty file; nothing opens it. @returns its absolute path */
  function file(...parts: string[]): string {
    const path = join(folder.path, ...parts);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '');
    return path;
  }

  it('are found by db_id with any of the three endings', async () => {
    const paths = [file('a', 'a.sqlite'), file('b', 'b.db'), file('c', 'c.sqlite3')];
    file('a', 'a.db');
    file('a', 'other.sqlite');
    const items = ['a', 'b', 'c'].map(of);
    const located = await locateDatabases(items, { dataset: null, root: folder.path, suite: false });
    assert.deepEqual(
      items.map(located.pathsOf),
      paths.map((path) => [path]),
    );
    assert.deepEqual([located.missing, located.absent, located.paths.size], [[], [], 3]);
  });

  it('that are missing are told with their items and where they were looked for', async () => {
    file('a', 'a.sqlite');
    file('b', 'else.sqlite');
    mkdirSync(join(folder.path, 'd', 'd.sqlite'), { recursive: true });
    const items = ['b', 'a', 'c', 'b', 'd'].map(of);
    const located = await locateDatabases(items, { dataset: null, root: folder.path, suite: false });
    assert.deepEqual(located.missing, ['b', 'c', 'd']);
    assert.deepEqual(
      located.absent,
      [
        ['b', 2],
        ['c', 1],
        ['d', 1],
      ].map(([name, count]) => ({
        name,
        items: count,
        lookedFor: [join(folder.path, `${name}/${name}.sqlite`)],
      })),
    );
    assert.deepEqual(located.pathsOf(of('b')), []);
  });

  it('of a test suite are all of the folder, the main one first', async () => {
    const main = file('m', 'm.sqlite');
    const others = [file('m', 'a1.sqlite'), file('m', 'z9.sqlite')];
    file('m', 'notes.txt');
    const alone = [file('n', 'n_1.sqlite'), file('n', 'n_2.sqlite')];
    const located = await locateDatabases([of('m'), of('n')], { dataset: null, root: folder.path, suite: true });
    assert.deepEqual(located.pathsOf(of('m')), [main, ...others]);
    assert.deepEqual(located.pathsOf(of('n')), alone);
  });

  it('are looked for beside the dataset where no root is named', async () => {
    const [spider, bird] = [file('database', 'a', 'a.sqlite'), file('dev_databases', 'b', 'b.sqlite')];
    const dataset = { path: join(folder.path, 'dev.json') };
    const located = await locateDatabases(['a', 'b', 'c'].map(of), { dataset, root: null, suite: false });
    assert.deepEqual([located.pathsOf(of('a')), located.pathsOf(of('b'))], [[spider], [bird]]);
    assert.deepEqual(
      located.absent[0]?.lookedFor,
      ['database', 'dev_databases'].map((name) => join(folder.path, name, 'c', 'c.sqlite')),
    );
    const nowhere = await locateDatabases([of('a')], { dataset: null, root: null, suite: false });
    assert.deepEqual(nowhere.absent, [{ name: 'a', items: 1, lookedFor: [] }]);
  });

  it('of a suite file are relative to its folder', async () => {
    const [near, far] = [file('tests', 'near.sqlite'), file('data', 'far.db')];
    const dataset = { path: join(folder.path, 'tests', 'mine.sql-tests.jsonl') };
    const items = [inSuite('near.sqlite'), inSuite('../data/far.db'), inSuite('gone.sqlite')];
    const located = await locateDatabases(items, { dataset, root: null, suite: false });
    assert.deepEqual(items.map(located.pathsOf), [[near], [far], []]);
    assert.deepEqual(located.missing, ['gone.sqlite']);
    assert.deepEqual(located.absent[0]?.lookedFor, [join(folder.path, 'tests', 'gone.sqlite')]);
  });

  it('are never looked for outside the root', async () => {
    file('outside.sqlite');
    file('outside', 'outside.sqlite');
    mkdirSync(join(folder.path, 'root'));
    const names = ['../outside', '..', '.', 'x/../../outside', '..\\outside', ''];
    const located = await locateDatabases(names.map(of), {
      dataset: null,
      root: join(folder.path, 'root'),
      suite: true,
    });
    assert.deepEqual([located.paths.size, located.missing], [0, names]);
  });

  it('may be links to files, but not broken ones', async () => {
    const target = file('store', 'big.sqlite');
    mkdirSync(join(folder.path, 'a'));
    mkdirSync(join(folder.path, 'b'));
    symlinkSync(target, join(folder.path, 'a', 'a.sqlite'));
    symlinkSync(`${target}.gone`, join(folder.path, 'b', 'b.sqlite'));
    const located = await locateDatabases([of('a'), of('b')], { dataset: null, root: folder.path, suite: false });
    assert.deepEqual(located.missing, ['b']);
  });

  it('need a root that is a folder', async () => {
    const locate = (root: string) => failure(locateDatabases([of('a')], { dataset: null, root, suite: false }));
    assert.equal((await locate(join(folder.path, 'nowhere'))).code, 'db_root_missing');
    assert.equal((await locate(file('a.sqlite'))).code, 'db_root_is_file');
  });

  it("of Spider's training set are all but two", async function () {
    const dataset = await loadDataset(needShared(this, 'data/spider/train.json'));
    const located = await locateDatabases(dataset.items, { dataset, root: null, suite: false });
    assert.deepEqual(
      located.absent.map(({ name, items }) => [name, items]),
      [
        ['soccer_1', 14],
        ['baseball_1', 82],
      ],
    );
    assert.equal(located.paths.size, 144);
  });
});
