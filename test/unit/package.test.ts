import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');

interface Lock {
  packages: Record<string, { version?: string; resolved?: string; license?: string; dev?: boolean }>;
}

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

describe('package files', () => {
  const lock = JSON.parse(read('package-lock.json')) as Lock;
  const manifest = JSON.parse(read('package.json')) as Manifest;

  it('the lock file holds no GPU build of node-llama-cpp; after `npm install` run `npm run lock`', () => {
    const names = Object.keys(lock.packages).filter((name) => /@node-llama-cpp\/.*(cuda|vulkan)/.test(name));
    assert.deepEqual(names, []);
  });

  it('the lock file names no registry', () => {
    assert.deepEqual(
      Object.entries(lock.packages).filter(([, entry]) => entry.resolved !== undefined),
      [],
    );
  });

  it('every version is pinned', () => {
    const ranges = Object.entries({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    }).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
    assert.deepEqual(ranges, []);
  });

  it('what is shipped has a permissive licence', () => {
    const permissive =
      /^\(?(MIT|MIT-0|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|Python-2\.0|WTFPL)(\s+(OR|AND)\s+[\w.-]+)*\)?$/;
    const others = Object.entries(lock.packages)
      .filter(([name, entry]) => name !== '' && entry.dev !== true && !permissive.test(entry.license ?? 'none'))
      .map(([name, entry]) => `${name}: ${entry.license ?? 'none'}`);
    assert.deepEqual(others, []);
  });
});
