import { strict as assert } from 'node:assert';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHAPES } from '../../../bench/gpu/random-weights.ts';
import { findLibrary } from '../../../python-free-trainer/src/ffi/libraries.ts';
import { fits, kernelConstants, specialisedKernels } from '../../../python-free-trainer/src/gpu/kernel-constants.ts';
import { bestArchitecture, kernelProgram, programKey } from '../../../python-free-trainer/src/gpu/kernel-program.ts';
import { specialise } from '../../../python-free-trainer/src/gpu/specialise.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';
import { packageRoot } from '../../../src/runtime/paths.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { readCubin } from '../support/cubin.ts';

const SOURCES = join(packageRoot, 'python-free-trainer/kernels');

function shape(name: string): ModelConfig {
  return SHAPES[name] ?? assert.fail(name);
}

function constants(name: string) {
  return kernelConstants(shape(name)) ?? assert.fail(`${name} has no kernels`);
}

describe('kernels for a model', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('are launched with the sizes that they are compiled for, under the names that their sources give the parameters', () => {
    const text = ['norm.cu', 'rotate.cu', 'swiglu.cu']
      .map((name) => readFileSync(join(SOURCES, name), 'utf8'))
      .join('');
    const parameters = new Map(
      [...text.matchAll(/KERNEL void (\w+?)(?:_##\w)?\(([^)]*)\)/g)].map(([, name = '', list = '']) => [
        name,
        list.split(',').map((parameter) => /(\w+)[\s\\]*$/.exec(parameter)?.[1]),
      ]),
    );
    const named: Record<string, (number | undefined)[]> = {
      width: [2560, 9728],
      heads: [32],
      kvHeads: [8],
    };
    for (const [name, last] of specialisedKernels(constants('4b'))) {
      const all = parameters.get(name.replace(/_\d+$/, '')) ?? assert.fail(name);
      for (const [index, value] of last.entries())
        if (value !== null) assert.ok(named[all.at(index - last.length) ?? '']?.includes(value), `${name} ${value}`);
    }
  });

  it('are taken for those sizes alone', () => {
    assert.ok(fits([32, 8, null], [1, 2, 32, 8, 1e-6]));
    assert.ok(!fits([32, 8, null], [1, 2, 16, 8, 1e-6]));
    assert.ok(!fits([2560], [4, 2048]));
  });

  it('are there for the sizes of rows and heads that kernels are made for', () => {
    assert.equal(kernelConstants({ ...shape('4b'), headDim: 40 }), null);
    assert.equal(kernelConstants({ ...shape('4b'), hidden: 8192 }), null);
  });

  it('are other ones for another model, compiler or GPU', () => {
    const program = kernelProgram(constants('4b'));
    const keys = [
      programKey(program, 'a', 90),
      programKey(program, 'b', 90),
      programKey(program, 'a', 89),
      programKey(kernelProgram(constants('small')), 'a', 90),
    ];
    assert.equal(new Set(keys).size, 4);
    assert.equal(programKey(kernelProgram(constants('4b')), 'a', 90), keys[0]);
  });

  it('are compiled for the generation of the GPU, else for the one before it in its family', () => {
    assert.equal(bestArchitecture([80, 86, 90, 120], 90), 90);
    assert.equal(bestArchitecture([80, 86, 90], 89), 86);
    assert.equal(bestArchitecture([80, 86, 90], 120), null);
  });

  it('are none, without a word, where NVRTC is hidden, and none with the reason where the file is another library', async () => {
    const env = { SQL_AGENT_HOME: folder.path };
    const hidden = await specialise(shape('small'), 90, { ...env, SQL_AGENT_NVRTC: 'none' });
    assert.deepEqual(hidden, { kernels: null, problem: null });
    const wrong = join(folder.path, 'libnvrtc.so');
    writeFileSync(wrong, 'no library');
    const found = await specialise(shape('small'), 90, { ...env, SQL_AGENT_NVRTC: wrong });
    assert.equal(found.kernels, null);
    assert.match(found.problem ?? '', /libnvrtc\.so\) did not compile them \(/);
  });

  it('are compiled once for each generation without spilling, kept, and compiled again where what was kept is damaged', async function () {
    this.timeout(120_000);
    if (findLibrary('nvrtc').path === null) {
      process.stdout.write('      skipped: NVRTC is not on this machine (SQL_AGENT_NVRTC names it)\n');
      this.skip();
    }
    const env = { ...process.env, SQL_AGENT_HOME: folder.path };
    for (const name of Object.keys(SHAPES))
      for (const capability of [80, 86, 89, 90, 100, 120]) {
        const { kernels, ...rest } = await specialise(shape(name), capability, env);
        if (kernels === null) assert.fail(`${name} on ${capability}: ${'problem' in rest ? rest.problem : ''}`);
        const table = readCubin(kernels.cubin, capability);
        for (const kernel of specialisedKernels(constants(name)).keys()) assert.ok(table.has(kernel), kernel);
        for (const [kernel, { stack, registers }] of table) {
          assert.equal(stack, 0, `${kernel} on ${capability}`);
          if (process.env['TABLE'] === '1')
            process.stdout.write(`      ${name} sm_${capability} ${kernel} ${registers}\n`);
        }
      }
    const kept = await specialise(shape('small'), 90, env);
    assert.equal(kept.kernels?.seconds, null);
    const cache = join(folder.path, 'kernels');
    for (const file of readdirSync(cache))
      writeFileSync(join(cache, file), readFileSync(join(cache, file)).subarray(0, 900));
    const again = await specialise(shape('small'), 90, env);
    assert.ok((again.kernels?.seconds ?? 0) > 0);
    assert.deepEqual(again.kernels?.cubin, kept.kernels?.cubin);
  });
});
