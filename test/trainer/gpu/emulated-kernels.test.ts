import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../../src/runtime/paths.ts';

const PROGRAM = join(packageRoot, 'test/gpu/emulated.ts');

describe('the kernels, compiled for the CPU', () => {
  it('compute what the CPU backend computes, alone and in whole steps, with every barrier that they need', function () {
    this.timeout(300_000);
    const compiler = process.env['CXX'] ?? 'g++';
    const isHere = process.platform === 'linux' && process.arch === 'x64';
    if (!isHere || spawnSync(compiler, ['--version']).status !== 0) {
      process.stdout.write(`      skipped: needs ${compiler} on Linux, x86-64\n`);
      this.skip();
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'own', 'exact', 'brief'], {
      encoding: 'utf8',
    });
    const off = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('ok'));
    assert.equal(status, 0, `${off.join('\n')}\n${stderr}`);
  });
});
