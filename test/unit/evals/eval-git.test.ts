import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitState } from '../../../src/runtime/git-state.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

describe('the git state of a run', () => {
  let folder: TemporaryFolder;
  let results: string;

  function git(...words: string[]): string {
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...who, ...words], { cwd: folder.path, encoding: 'utf8' }).trim();
  }

  beforeEach(function () {
    folder = temporaryFolder();
    results = join(folder.path, 'sub', 'results');
    try {
      git('init', '-q');
    } catch {
      this.skip();
    }
  });

  afterEach(() => folder.remove());

  function commit(): string {
    writeFileSync(join(folder.path, 'prompt.txt'), 'one');
    git('add', '-A');
    git('commit', '-qm', 'first');
    return git('rev-parse', 'HEAD');
  }

  it('is the commit, and clean, whatever lies in the folder of results', async () => {
    const head = commit();
    mkdirSync(results, { recursive: true });
    writeFileSync(join(results, 'ledger.jsonl'), '{}\n');
    assert.deepEqual(await gitState(join(folder.path, 'sub'), results), { commit: head, dirty: false });
  });

  it('is dirty where a file was changed or is new', async () => {
    const head = commit();
    appendFileSync(join(folder.path, 'prompt.txt'), 'two');
    mkdirSync(results, { recursive: true });
    assert.deepEqual(await gitState(join(folder.path, 'sub'), results), { commit: head, dirty: true });
    git('checkout', '-q', 'prompt.txt');
    writeFileSync(join(folder.path, 'new.txt'), '');
    assert.equal((await gitState(folder.path, results))?.dirty, true);
    assert.equal((await gitState(folder.path, join(folder.path, '..', 'elsewhere')))?.dirty, true);
  });

  it('is nothing without a commit, a repository or the folder', async () => {
    assert.equal(await gitState(folder.path, results), null);
    assert.equal(await gitState('/', results), null);
    assert.equal(await gitState(join(folder.path, 'none'), results), null);
  });
});
