import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findItemDatabase, type ItemPlaces } from '../../../src/runtime/evals/item-database.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

describe('the database of a run’s item', () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  function file(path: string, text = ''): string {
    const full = join(folder.path, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  }

  const find = (places: Partial<ItemPlaces>) =>
    findItemDatabase({ id: 'q1', db_id: 'shop' }, { dataset: null, format: 'bird', roots: [], ...places });

  it('is in the first of the folders that has it', async () => {
    const there = file('second/shop/shop.sqlite');
    file('third/shop/shop.sqlite');
    const roots = ['first', 'second', 'third'].map((name) => join(folder.path, name));
    assert.equal(await find({ roots }), there);
  });

  it('is beside the dataset where the publishers put it', async () => {
    const dataset = file('dev.json', '[]');
    const there = file('dev_databases/shop/shop.sqlite');
    assert.equal(await find({ dataset, roots: [null] }), there);
  });

  it('may lie in a folder without one of its own', async () => {
    const there = file('chosen/shop.db');
    assert.equal(await find({ roots: [join(folder.path, 'chosen')] }), there);
  });

  it('is where a suite names it, from the suite’s folder', async () => {
    const line = { id: 'q1', database: '../data/shop.sqlite', question: 'How many?', sql: 'SELECT 1' };
    const dataset = file('tests/a.sql-tests.jsonl', `${JSON.stringify(line)}\n`);
    const there = file('data/shop.sqlite');
    assert.equal(await find({ dataset, format: 'suite', roots: [null] }), there);
  });

  it('is found by its name where the suite is gone', async () => {
    const there = file('chosen/shop.sqlite');
    const dataset = join(folder.path, 'gone.sql-tests.jsonl');
    assert.equal(await find({ dataset, format: 'suite', roots: [join(folder.path, 'chosen')] }), there);
  });

  it('is nowhere, also by a name that leads out of the folder', async () => {
    file('secret.sqlite');
    const roots = [join(folder.path, 'chosen')];
    mkdirSync(roots[0] ?? '');
    assert.equal(await find({ roots }), null);
    const places = { dataset: null, format: 'bird' as const, roots };
    assert.equal(await findItemDatabase({ id: 'q1', db_id: '../secret' }, places), null);
  });
});
