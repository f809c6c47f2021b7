import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCsv } from '../../../src/core/schema/csv.ts';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import { sqlAgent } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { evalEntry } from '../ledger/support/entry.ts';
import { trainEntry } from '../ledger/support/train-entry.ts';

const ADAPTER = 'adapter';
const FILE = { sha256: createHash('sha256').update(ADAPTER).digest('hex'), bytes: ADAPTER.length };

describe('training runs in the ledger', () => {
  const folder = temporaryFolder();
  const results = join(folder.path, 'results');
  const adapter = join(results, 'first/adapter.gguf');
  const env = { SQL_AGENT_HOME: join(folder.path, 'home'), SQL_AGENT_RESULTS: results };
  const call = (...words: string[]) => sqlAgent(['ledger', ...words], { env, cwd: folder.path });
  after(() => folder.remove());

  before(async () => {
    mkdirSync(join(results, 'first'), { recursive: true });
    writeFileSync(adapter, ADAPTER);
    const ledger = new Ledger(results, null, { now: () => new Date('2026-11-30T09:00:00Z') });
    const items = join(results, 'items.jsonl');
    writeFileSync(items, '');
    const nothing = { path: items, sha256: createHash('sha256').digest('hex'), bytes: 0 };
    await ledger.append(evalEntry('eval-1', { output: nothing }));
    await ledger.append(trainEntry('train-1', { state: 'stopped', output: null }));
    await ledger.append(trainEntry('train-2', { state: 'failed', output: null }));
    await ledger.append(trainEntry('train-1', { output: { path: adapter, ...FILE } }));
    await ledger.append(evalEntry('eval-2', { output: nothing }));
  });

  it('leave evaluations as they were: listed, found, exported by themselves', async () => {
    const listed = JSON.parse((await call('list', '--json')).stdout);
    assert.deepEqual(
      [listed.total, listed.trainings, listed.problems, listed.runs.map((run: { run_id: string }) => run.run_id)],
      [2, 2, [], ['eval-2', 'eval-1']],
    );
    assert.match((await call('list')).stdout, /2 training runs besides; "sql-agent ledger list --training"/);
    assert.equal(JSON.parse((await call('show', 'latest', '--json')).stdout).run.run_id, 'eval-2');
    assert.equal((await call('export', '--jsonl')).stdout.trimEnd().split('\n').length, 2);
  });

  it('are listed with --training, each by its last line, the newest first', async () => {
    const { code, stdout } = await call('list', '--training');
    const lines = stdout.trimEnd().split('\n');
    assert.equal(code, 0);
    assert.match(
      lines[2] ?? '',
      /^train-1 +0\.1234 +0\.2000 \(step 150\) +done +2026-11-30 +pairs\.jsonl \(950\) +small/,
    );
    assert.match(lines[3] ?? '', /^train-2 .*failed at step 180/);
    assert.equal(lines.length, 4);
    assert.match((await call('list', '--training', '--limit', '1')).stdout, /The newest 1 of 2 runs/);
  });

  it('are shown with settings, results and the adapter', async () => {
    const { code, stdout } = await call('show', 'train-1', '--training');
    assert.equal(code, 0);
    for (const told of [
      /^Training run train-1: done/,
      /learning|lr +0\.0002/,
      /0\.2000 at step 150/,
      /first\/adapter\.gguf/,
    ])
      assert.match(stdout, told);
    assert.equal(JSON.parse((await call('show', 'train-2', '--training', '--json')).stdout).run.output, null);
    assert.equal((await call('show', 'train-9', '--training')).code, 1);
  });

  it('are exported as rows that all have the same columns, oldest first', async () => {
    const [header = [], ...rows] = parseCsv((await call('export', '--training')).stdout);
    assert.deepEqual(
      rows.map((row) => row[header.indexOf('run_id')]),
      ['train-2', 'train-1'],
    );
    assert.ok(rows.every((row) => row.length === header.length));
    assert.equal(rows[1]?.[header.indexOf('best_eval_loss')], '0.2');
    assert.match((await call('export', '--training', '--markdown')).stdout, /^\| run \| loss/);
  });

  it('keep no path that only this machine knows', () => {
    const lines = readFileSync(join(results, 'ledger.jsonl'), 'utf8').trim().split('\n');
    const last = JSON.parse(lines[3] ?? '');
    assert.deepEqual(
      [last.config.model.base, last.base.file.path, last.data.train.path, last.output.path],
      ['…/small.gguf', '…/small.gguf', '…/pairs.jsonl', 'first/adapter.gguf'],
    );
  });

  it('are verified with their adapters', async () => {
    const good = JSON.parse((await call('verify', '--json')).stdout);
    assert.deepEqual([good.status, good.lines, good.runs], ['ok', 5, 4]);
    rmSync(adapter);
    const { code, stdout } = await call('verify');
    assert.equal(code, 1);
    assert.match(stdout, /The output of line 4 \(run train-1\), first\/adapter\.gguf, is not there/);
  });

  it('go with list, show and export alone', async () => {
    assert.equal((await call('verify', '--training')).code, 2);
  });
});
