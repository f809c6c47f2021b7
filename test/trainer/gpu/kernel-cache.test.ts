import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KernelCache } from '../../../python-free-trainer/src/gpu/kernel-cache.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

describe('the cache of compiled kernels', () => {
  const kernels = { cubin: Buffer.from('kernels'), by: 'NVRTC 13.0' };
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('gives what was kept, and nothing of a file that is damaged', () => {
    const cache = new KernelCache(folder.path);
    cache.set('key', kernels);
    assert.deepEqual(cache.get('key'), kernels);
    const other = JSON.stringify({ by: 'NVRTC 13.0', sha256: '0'.repeat(64), cubin: 'AAAA' });
    for (const text of ['', '{"by"', 'null', '[]', other]) {
      writeFileSync(join(folder.path, 'key.json'), text);
      assert.equal(cache.get('key'), null, text);
    }
  });

  it('leaves nothing behind where it cannot keep them', () => {
    mkdirSync(join(folder.path, 'key.json'));
    const cache = new KernelCache(folder.path);
    cache.set('key', kernels);
    assert.equal(cache.get('key'), null);
    assert.deepEqual(readdirSync(folder.path), ['key.json']);
  });
});
