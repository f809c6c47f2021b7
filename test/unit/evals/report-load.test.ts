import assert from 'node:assert/strict';
import { appendFileSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadRun } from '../../../src/runtime/evals/run-of.ts';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { itemRecord, writeRun } from './report-runs.ts';

describe('loading a run', () => {
  const FIRST = '20261129-210000-small-dev-1a2b';
  const SECOND = '20261129-220000-coder-dev-3c4d';
  let folder: TemporaryFolder;
  let results: string;
  let ledger: Ledger;

  beforeEach(async () => {
    folder = temporaryFolder();
    results = join(folder.path, 'results');
    ledger = new Ledger(results);
    await writeRun(results, FIRST, [itemRecord('b', 'right'), itemRecord('a', 'wrong_rows')]);
    await writeRun(results, SECOND, [itemRecord('a', 'right')]);
  });

  afterEach(() => folder.remove());

  it('finds it by its id, a part of it, latest, and its folder', async () => {
    for (const named of [FIRST, '1a2b', '20261129-21', 'latest~1', join(results, FIRST)]) {
      const { line, records, folder: found, notes } = await loadRun(ledger, named, folder.path);
      assert.equal(line.run_id, FIRST, named);
      assert.equal(found, join(results, FIRST));
      assert.equal(records.length, 2);
      assert.deepEqual(notes, []);
    }
    assert.equal((await loadRun(ledger, 'latest', folder.path)).line.run_id, SECOND);
    assert.equal((await loadRun(ledger, `results/${FIRST}`, folder.path)).line.run_id, FIRST);
  });

  it('gives the items in the order of the dataset', async () => {
    const { records } = await loadRun(ledger, FIRST, folder.path);
    assert.deepEqual(
      records.map(({ id }) => id),
      ['a', 'b'],
    );
  });

  it('finds the ledger beside a folder that is named', async () => {
    const elsewhere = new Ledger(join(folder.path, 'empty'));
    const { line, notes } = await loadRun(elsewhere, join(results, SECOND), folder.path);
    assert.equal(line.run_id, SECOND);
    assert.equal(line.output.bytes > 0, true);
    assert.deepEqual(notes, []);
  });

  it('warns where the items were changed since the ledger was written', async () => {
    appendFileSync(join(results, FIRST, 'items.jsonl'), `${JSON.stringify(itemRecord('c', 'right'))}\n`);
    const { line, records, notes } = await loadRun(ledger, FIRST, folder.path);
    assert.match(notes.join('\n'), /items\.jsonl of run 20261129-210000-small-dev-1a2b .*changed since/);
    assert.equal(line.summary.done, 2);
    assert.equal(records.length, 2);
    assert.match(
      notes.join('\n'),
      /Line 3 of items\.jsonl is of item c, which the run does not have, and is passed over/,
    );
  });

  it('passes a torn line over and says so', async () => {
    appendFileSync(join(results, FIRST, 'items.jsonl'), '{"id":"c');
    const { records, notes } = await loadRun(ledger, FIRST, folder.path);
    assert.equal(records.length, 2);
    assert.match(notes.join('\n'), /torn/);
  });

  it('loads a run that has no run.json any more, as the ledger has its configuration', async () => {
    rmSync(join(results, FIRST, 'run.json'));
    const { line, records } = await loadRun(ledger, FIRST, folder.path);
    assert.equal(line.run_id, FIRST);
    assert.equal(records.length, 2);
  });

  it('loads a run that was never finished, by its folder and by its id, and says so', async () => {
    const id = '20261129-230000-small-dev-9999';
    const records = [itemRecord('a', 'right'), itemRecord('b', 'wrong_rows')];
    const killed = await writeRun(results, id, records, { inLedger: false });
    for (const named of [killed, id, '9999']) {
      const run = await loadRun(ledger, named, folder.path);
      assert.equal(run.line.run_id, id);
      assert.equal(run.line.state, 'stopped');
      assert.deepEqual([run.line.summary.done, run.line.summary.outcomes.right], [2, 1]);
      assert.match(run.notes.join('\n'), /not in the ledger/);
    }
    const alone = join(folder.path, 'copy');
    cpSync(killed, alone, { recursive: true });
    assert.equal((await loadRun(ledger, './copy', folder.path)).line.summary.done, 2);
  });

  it('says what is missing: the run, its folder, its items', async () => {
    await assert.rejects(loadRun(ledger, 'zzzz', folder.path), { code: 'run_unknown' });
    await assert.rejects(loadRun(ledger, '20261129', folder.path), { code: 'run_ambiguous' });
    await assert.rejects(loadRun(ledger, './results/none', folder.path), { code: 'run_missing' });
    rmSync(join(results, FIRST), { recursive: true });
    await assert.rejects(loadRun(ledger, FIRST, folder.path), { code: 'run_output_missing' });
    await assert.rejects(loadRun(new Ledger(join(folder.path, 'none')), 'x', folder.path), { code: 'ledger_no_runs' });
  });
});
