import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../src/runtime/write-whole.ts';
import { projectRoot } from '../support/cli.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary.ts';

describe('writing a file whole', () => {
  let folder: TemporaryFolder;
  let path: string;

  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder.path, 'report.md');
  });
  afterEach(() => folder.remove());

  it('leaves what stood there before where the disk is full, and nothing beside it', function () {
    if (process.platform === 'win32') this.skip();
    writeFileSync(path, 'before');
    const module = join(projectRoot, 'src/runtime/write-whole.ts');
    const script = `
      process.on('SIGXFSZ', () => {});
      const { writeWhole } = await import(${JSON.stringify(module)});
      await writeWhole(${JSON.stringify(path)}, 'x'.repeat(100_000)).catch((error) => console.log(error.code));`;
    // A limit on the size of files stands for a full disk; in units of 512 or 1024 bytes.
    const limited = 'ulimit -f 16 && exec "$0" --input-type=module -e "$1"';
    const { stdout, stderr } = spawnSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' });
    assert.equal(stdout, 'EFBIG\n', stderr);
    assert.equal(readFileSync(path, 'utf8'), 'before');
    assert.deepEqual(readdirSync(folder.path), ['report.md']);
  });

  it('follows a link and keeps who may read the file', async function () {
    if (process.platform === 'win32') this.skip();
    writeFileSync(path, 'before');
    chmodSync(path, 0o600);
    const link = join(folder.path, 'link.md');
    symlinkSync(path, link);
    await writeWhole(link, 'after');
    assert.equal(readFileSync(path, 'utf8'), 'after');
    assert.equal(lstatSync(link).isSymbolicLink(), true);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('writes to a device as it is', async function () {
    if (process.platform === 'win32') this.skip();
    await writeWhole('/dev/null', 'text');
    assert.equal(statSync('/dev/null').isCharacterDevice(), true);
  });
});
