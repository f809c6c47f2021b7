import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needFreePath, writeLines } from '../../../src/runtime/evals/pairs/write-lines.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

describe('the file of training pairs', () => {
  let folder: TemporaryFolder;
  let path: string;
  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder.path, 'pairs.jsonl');
  });
  afterEach(() => folder.remove());

  async function* lines(texts: readonly string[], error?: Error): AsyncIterable<string> {
    yield* texts;
    if (error) throw error;
  }

  it('is of one call alone where two write it at once', async () => {
    const calls = await Promise.allSettled([
      writeLines(path, lines(['one\n', 'two\n'])),
      writeLines(path, lines(Array.from({ length: 500 }, () => 'other\n'))),
    ]);
    const failed = calls.filter((call) => call.status === 'rejected');
    assert.deepEqual(
      failed.map(({ reason }) => reason.code),
      ['training_pairs_taken'],
    );
    assert.match(readFileSync(path, 'utf8'), /^(?:one\ntwo\n|(?:other\n){500})$/);
    assert.deepEqual(readdirSync(folder.path), ['pairs.jsonl']);
  });

  it('is not there where writing fails, and the message names it with the words of the system', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' });
    await assert.rejects(writeLines(path, lines(['one\n'], full)), {
      code: 'training_pairs_unwritable',
      message: /pairs\.jsonl cannot be written \(ENOSPC: no space left on device, write\)\. Name another file/,
    });
    await assert.rejects(writeLines(path, lines(['one\n'], new TypeError('a mistake'))), TypeError);
    assert.deepEqual(readdirSync(folder.path), []);
  });

  it('is not waited for where a pipe stands in its place', async function () {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [path]);
    await assert.rejects(needFreePath(path), { code: 'training_pairs_taken' });
  });
});
