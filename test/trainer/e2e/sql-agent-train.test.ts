import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerLine } from '../../../src/protocol/ledger.ts';
import { identityOf } from '../../../src/runtime/trainer/process-identity.ts';
import { readLaunch } from '../../../src/runtime/trainer/run-files.ts';
import { RunReader, readSnapshot } from '../../../src/runtime/trainer/run-reader.ts';
import { type CliOptions, sqlAgent } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { pairsFile, tinyFolder } from '../support/tiny-folder.ts';

describe('sql-agent train with the trainer', function () {
  this.timeout(120_000);
  const temporary = temporaryFolder();
  after(() => temporary.remove());
  const call = (words: string[], options: CliOptions = {}) =>
    sqlAgent(['train', ...words], { cwd: temporary.path, ...options });
  const settings = ['--threads', '1', '--r', '4', '--lr', '0.01', '--batch', '4', '--max-length', '200'];

  before(() => {
    tinyFolder(temporary.path);
    pairsFile(temporary.path, 12);
  });

  it('trains to the end, tells the steps, and leaves an adapter', async () => {
    const words = ['sft', '--base', 'tiny', '--data', 'pairs.jsonl', ...settings, '--steps', '3', '--out', 'whole'];
    const { code, stdout, stderr } = await call([...words, '--json']);
    assert.equal(code, 0, stderr);
    const answer = JSON.parse(stdout);
    assert.deepEqual([answer.state, answer.step, answer.of], ['done', 3, 3]);
    assert.match(stderr, /training in whole, process \d+\n/);
    assert.match(stderr, /step 3: checkpoint checkpoints\//);
    for (const name of ['adapter', 'adapter.gguf']) assert.ok(existsSync(join(temporary.path, 'whole', name)), name);
    assert.match((await call(['resume', 'whole'])).stderr, /is done, so there is nothing to go on with/);
  });

  it('leaves in the ledger the words that make the run again from the same folder', async () => {
    const started = ['sft', '--base', 'tiny', '--data', 'pairs.jsonl', ...settings, '--steps', '2'];
    const words = [...started, '--results', 'kept'];
    const { code, stderr } = await call([...words, '--out', 'told', '--detach']);
    assert.equal(code, 0, stderr);
    assert.equal((await call(['follow', 'told'])).code, 0);
    const [text = '', ...others] = readFileSync(join(temporary.path, 'kept/ledger.jsonl'), 'utf8').trim().split('\n');
    const line = LedgerLine.parse(JSON.parse(text));
    assert.ok(line.kind === 'train' && others.length === 0);
    assert.deepEqual(line.command, ['sql-agent', 'train', ...words, '--out', 'told', '--detach']);
  });

  it('exits 1 with what the trainer says of the data, line by line', async () => {
    writeFileSync(join(temporary.path, 'bad.jsonl'), '{"user": "?", "sql": "SELECT 1"}\n{"user": 7}\n');
    const { code, stderr } = await call(['sft', '--base', 'tiny', '--data', 'bad.jsonl', '--out', 'bad']);
    assert.equal(code, 1);
    // The form that the problem matcher of the editor reads.
    assert.match(
      stderr,
      /^sql-agent: The training data .+bad\.jsonl has 1 bad line; nothing was trained\. Put right:\n\s+line 2(, .+?)?: .*$/m,
    );
  });

  it('is left at Ctrl-C, stopped from elsewhere, and goes on to its end', async () => {
    const words = ['sft', '--base', 'tiny', '--data', 'pairs.jsonl', ...settings, '--epochs', '20', '--out', 'long'];
    const left = await call(words, {
      onStart: (child) =>
        child.stderr?.on('data', (text: string) => {
          if (text.includes('loss')) child.kill('SIGINT');
        }),
    });
    assert.equal(left.code, 130);
    const folder = join(temporary.path, 'long');
    assert.equal((await call(['stop', 'long'])).code, 0);
    const stopped = await call(['follow', 'long']);
    assert.equal(stopped.code, 130, stopped.stderr);
    const { state, status } = await readSnapshot(folder);
    assert.equal(state, 'stopped');
    const resumed = await call(['resume', 'long']);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.match(resumed.stderr, new RegExp(`goes on after step ${status?.step}`));
    const reader = new RunReader(folder);
    await reader.read();
    const steps = [...reader.history.steps.column('step')];
    assert.deepEqual(
      steps,
      steps.map((_, index) => index + 1),
    );
    const launch = await readLaunch(folder);
    assert.ok(launch && (await identityOf(launch.process.pid)).start !== launch.process.start);
  });
});
