import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { knownRecords } from '../../../../src/host/tests/last-results.ts';
import type { Item } from '../../../../src/protocol/dataset.ts';
import type { Outcome } from '../../../../src/protocol/ledger.ts';
import type { Dataset } from '../../../../src/runtime/evals/load-dataset.ts';
import { Ledger } from '../../../../src/runtime/store/ledger.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { itemRecord, writeRun } from '../../evals/report-runs.ts';
import { evalEntry } from '../../ledger/support/entry.ts';

describe('what the ledger knows of a dataset', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());
  const { config } = evalEntry('any');

  function itemOf(id: string): Item {
    const { db_id, question, evidence, gold, difficulty } = itemRecord(id, 'right');
    return { id, db_id, question, evidence, gold, difficulty, database: null, line: 1 };
  }
  function datasetOf(...ids: string[]): Dataset {
    const { name, format, hash } = config.dataset;
    return { path: `/w/${name}`, name, format, hash, items: ids.map(itemOf) };
  }
  async function known(results: string, dataset: Dataset): Promise<string[]> {
    const found: string[] = [];
    for await (const { run, record } of knownRecords(new Ledger(results), dataset))
      found.push(`${record.id} ${record.outcome} in ${run.run_id}`);
    return found.sort();
  }
  async function write(
    results: string,
    run: string,
    outcomes: Record<string, Outcome>,
    name?: string,
  ): Promise<string> {
    const records = Object.entries(outcomes).map(([id, outcome]) => itemRecord(id, outcome));
    const dataset = name === undefined ? config.dataset : { ...config.dataset, name, hash: `hash of ${name}` };
    return await writeRun(results, run, records, { config: { ...config, dataset } });
  }

  it('is nothing where there is no ledger', async () => {
    assert.deepEqual(await known(join(folder.path, 'none'), datasetOf('a')), []);
  });

  it('takes of each question the newest record, from several runs', async () => {
    const results = join(folder.path, 'several');
    await write(results, 'run-1', { a: 'wrong_rows', b: 'sql_error' });
    await write(results, 'run-2', { a: 'right', gone: 'right' });
    await write(results, 'run-3', { b: 'timeout' }, 'other.json');
    assert.deepEqual(await known(results, datasetOf('a', 'b', 'c')), ['a right in run-2', 'b sql_error in run-1']);
  });

  it('knows a dataset that was changed by its name, and leaves out the questions that were', async () => {
    const results = join(folder.path, 'changed');
    await write(results, 'run-1', { a: 'right', b: 'right' });
    const dataset = datasetOf('a', 'b');
    const changed = dataset.items.map((item) => (item.id === 'b' ? { ...item, gold: 'SELECT 2' } : item));
    assert.deepEqual(await known(results, { ...dataset, hash: 'another', items: changed }), ['a right in run-1']);
  });

  it('goes on to an older run where the output of a newer one is gone', async () => {
    const results = join(folder.path, 'gone');
    await write(results, 'run-1', { a: 'right' });
    const removed = await write(results, 'run-2', { a: 'timeout' });
    rmSync(removed, { recursive: true });
    assert.deepEqual(await known(results, datasetOf('a')), ['a right in run-1']);
  });
});
