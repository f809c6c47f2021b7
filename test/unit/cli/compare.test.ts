import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Comparison } from '../../../src/protocol/compare.ts';
import { type CliResult, sqlAgent } from '../../support/cli.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { twoRuns, writeRun } from '../evals/report-runs.ts';

describe('sql-agent compare and sql-agent report', () => {
  let folder: TemporaryFolder;

  before(async () => {
    folder = temporaryFolder();
    const { before: first, after: second } = twoRuns();
    await writeRun(join(folder.path, 'results'), '20261129-210000-small-dev-1a2b', first);
    await writeRun(join(folder.path, 'results'), '20261129-220000-coder-dev-3c4d', second);
  });

  after(() => folder.remove());

  const call = (...words: string[]): Promise<CliResult> => sqlAgent(words, { cwd: folder.path });

  it('compare prints the sentence, the tables and the flips', async () => {
    const { code, stdout } = await call('compare', 'latest~1', 'latest');
    assert.equal(code, 0);
    assert.match(stdout, /is better than|No difference/);
    assert.match(stdout, /By database\n─+\n/);
    assert.match(stdout, /Gained: only B is right/);
  });

  it('compare --json prints what the protocol says', async () => {
    const { code, stdout } = await call('compare', '1a2b', '3c4d', '--metric', 'strict_ex', '--json');
    assert.equal(code, 0);
    const comparison = Comparison.parse(JSON.parse(stdout));
    assert.equal(comparison.metric, 'strict_ex');
    assert.equal(comparison.items.compared, 119);
    const { both_right, both_wrong, gained, lost } = comparison;
    assert.equal(both_right + both_wrong + gained.length + lost.length, 119);
  });

  it('--markdown writes to stdout without a file, wherever it stands, and to the file that is named', async () => {
    const bare = await call('compare', '1a2b', '3c4d', '--markdown');
    assert.match(bare.stdout, /^# small \(B\) against small \(A\)\n\n\*\*/);
    assert.equal((await call('compare', '1a2b', '3c4d', '--markdown', '--flips', '20')).stdout, bare.stdout);
    const named = await call('compare', '1a2b', '3c4d', '--markdown', 'out/comparison.md');
    assert.equal(named.stdout, '');
    assert.match(named.stderr, /Wrote out\/comparison\.md/);
    assert.equal(readFileSync(join(folder.path, 'out/comparison.md'), 'utf8'), bare.stdout);
  });

  it('report writes Markdown and HTML, and prints its figures as JSON', async () => {
    const { code, stdout } = await call('report', '3c4d', '--markdown', 'r.md', '--html', 'r.html', '--json');
    assert.equal(code, 0);
    const report = JSON.parse(stdout);
    assert.deepEqual(report.files, [join(folder.path, 'r.md'), join(folder.path, 'r.html')]);
    assert.equal(report.shares[0].share.of, 119);
    assert.equal(report.failing.length + report.shares[0].share.right, 119);
    assert.match(readFileSync(join(folder.path, 'r.md'), 'utf8'), /^# Evaluation 20261129-220000-coder-dev-3c4d\n/);
    assert.match(readFileSync(join(folder.path, 'r.html'), 'utf8'), /^<!doctype html>/);
  });

  it('report prints a page for the terminal in which nothing steers it', async () => {
    const { code, stdout } = await call('report', 'latest');
    assert.equal(code, 0);
    assert.match(stdout, /official_ex \(headline\)/);
    assert.match(stdout, /Schema linking\n─+\n/);
    assert.match(stdout, /Is <script>alert\(1\)<\/script> \| a `name` \*bold\*↵or/);
  });

  it('say what is wrong with a call', async () => {
    const usage = await Promise.all([
      call('report'),
      call('compare', '1a2b'),
      call('compare', '1a2b', '3c4d', 'x'),
      call('compare', '1a2b', '3c4d', '--metric', 'soft_f1'),
      call('report', '1a2b', '--failing', 'many'),
      call('report', '1a2b', '--html'),
    ]);
    assert.deepEqual(
      usage.map(({ code }) => code),
      [2, 2, 2, 2, 2, 2],
    );
    const unknown = await call('report', 'nothing', '--json');
    assert.equal(unknown.code, 1);
    assert.equal(JSON.parse(unknown.stdout).code, 'run_unknown');
    const unwritable = await call('report', '1a2b', '--html', 'r.html/x/y.html', '--json');
    assert.equal(unwritable.code, 1);
    assert.equal(JSON.parse(unwritable.stdout).code, 'report_unwritable');
  });
});
