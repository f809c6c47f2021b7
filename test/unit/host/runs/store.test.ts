import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunStore } from '../../../../src/host/runs/store.ts';
import type { RunFile } from '../../../../src/protocol/eval.ts';
import { Ledger } from '../../../../src/runtime/store/ledger.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../support/temporary.ts';
import { itemRecord } from '../../evals/report-runs.ts';
import { evalEntry } from '../../ledger/support/entry.ts';
import { config } from './support.ts';

describe('the runs of a results folder', () => {
  let folder: TemporaryFolder;
  let store: RunStore;
  const logged: string[] = [];
  const log = (text: string) => {
    logged.push(text);
  };

  beforeEach(() => {
    folder = temporaryFolder();
    store = new RunStore({ folders: () => [folder.path], log: { debug: log, warn: log, error: log } });
  });
  afterEach(() => folder.remove());

  function begin(id: string, ids: string[], finished: string[]): string {
    const own = join(folder.path, id);
    mkdirSync(own);
    const file: RunFile = {
      version: 1,
      run_id: id,
      started: '2026-11-29T21:00:00.000Z',
      command: [],
      paths: { dataset: '../dev.json', databases: null },
      config,
      ids,
    };
    writeFileSync(join(own, 'run.json'), JSON.stringify(file));
    const lines = finished.map((item) => `${JSON.stringify(itemRecord(item, 'right'))}\n`);
    writeFileSync(join(own, 'items.jsonl'), lines.join(''));
    return own;
  }

  async function record(id: string): Promise<void> {
    await new Ledger(folder.path).append(evalEntry(id));
  }

  it('are none where there is no folder', async () => {
    const nowhere = new RunStore({
      folders: () => [join(folder.path, 'no')],
      log: { debug: log, warn: log, error: log },
    });
    assert.deepEqual(await nowhere.list(), { runs: [], problems: [] });
  });

  it('are those of the ledger, and those that have a folder alone', async () => {
    begin('r1', ['1', '2'], ['1', '2']);
    await record('r1');
    begin('r2', ['1', '2', '3'], ['1']);
    const { runs, problems } = await store.list();
    assert.deepEqual(problems, []);
    assert.deepEqual(
      runs.map(({ id, state, done, total }) => [id, state, done, total]),
      [
        ['r1', 'done', 4, 4],
        ['r2', 'unfinished', 1, 3],
      ],
    );
  });

  it('are those of a folder in it too that has a ledger of its own, such as one that others published', async () => {
    begin('own', ['1'], ['1']);
    await record('own');
    const published = join(folder.path, 'published');
    mkdirSync(published);
    await new Ledger(published).append(evalEntry('theirs'));
    const { runs, problems } = await store.list();
    assert.deepEqual(runs.map(({ id, results }) => [id, results]).sort(), [
      ['own', folder.path],
      ['theirs', published],
    ]);
    assert.deepEqual(problems, []);
  });

  it('are at work elsewhere while a living process holds their lock', async () => {
    const own = begin('r1', ['1'], []);
    writeFileSync(join(own, 'lock'), String(process.pid));
    assert.equal((await store.find('r1')).state, 'elsewhere');
    writeFileSync(join(own, 'lock'), '999999999');
    assert.equal((await store.find('r1')).state, 'unfinished');
  });

  it('are seen when they come', async () => {
    assert.equal((await store.list()).runs.length, 0);
    begin('r1', ['1'], ['1']);
    await record('r1');
    assert.equal((await store.list()).runs.length, 1);
    await record('r2');
    assert.equal((await store.list()).runs.length, 2);
  });

  it('are told with what could not be read of the ledger', async () => {
    await record('r1');
    writeFileSync(join(folder.path, 'ledger.jsonl'), '{"v":1,"kind":"eval"}\n', { flag: 'a' });
    const { runs, problems } = await store.list();
    assert.equal(runs.length, 1);
    assert.match(problems.join(), /Line 2 of the ledger/);
  });

  it('leave out a folder whose run.json is damaged, with a line in the log', async () => {
    const own = begin('r1', ['1'], []);
    writeFileSync(join(own, 'run.json'), '{');
    assert.equal((await store.list()).runs.length, 0);
    assert.match(logged.join('\n'), /run\.json cannot be read/);
  });

  it('have their items in the order of the dataset, whichever was finished first', async () => {
    begin('r1', ['a', 'b', 'c'], ['c', 'a', 'b']);
    const run = await store.find('r1');
    assert.deepEqual(
      (await store.records(run)).map(({ id }) => id),
      ['a', 'b', 'c'],
    );
  });

  it('have the items that were finished since they were read last', async () => {
    const own = begin('r1', ['a', 'b'], ['a']);
    const run = await store.find('r1');
    assert.equal((await store.records(run)).length, 1);
    writeFileSync(join(own, 'items.jsonl'), `${JSON.stringify(itemRecord('b', 'no_sql'))}\n`, { flag: 'a' });
    assert.equal((await store.records(run)).length, 2);
  });

  it('are told to be gone by a name that there is not', async () => {
    await assert.rejects(store.find('r9'), { code: 'run_gone' });
  });

  it('can be reported and compared also before they are in the ledger', async () => {
    begin('r1', ['a', 'b'], ['a']);
    const { line, records } = await store.load('r1');
    assert.deepEqual([line.state, line.summary.done, records.length], ['stopped', 1, 1]);
  });
});
