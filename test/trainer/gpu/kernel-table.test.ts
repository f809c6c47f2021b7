import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packageRoot } from '../../../src/runtime/paths.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { type CubinKernel, readCubin } from '../support/cubin.ts';

const BUILD = join(packageRoot, 'python-free-trainer/kernels/build.mjs');
const COMPILED = join(packageRoot, 'python-free-trainer/kernels/compiled');
const GENERATIONS = [80, 86, 89, 90, 100, 120];
/** Bytes of each type of parameter. */
const BYTES: Readonly<Record<string, number>> = { l: 8, i: 4, f: 4 };
const PTX_TYPES: Readonly<Record<string, string>> = { u64: 'l', u32: 'i', f32: 'f' };

interface Row {
  registers: number;
  spilled: number;
  stack: number;
  shared: number;
}

interface Table {
  sources: string;
  compiler: string;
  files: Record<string, string>;
  kernels: Record<string, { parameters: string; on: Record<string, Row> }>;
}

const table = JSON.parse(readFileSync(join(COMPILED, 'kernels.json'), 'utf8')) as Table;

function unpacked(name: string): Buffer {
  return gunzipSync(readFileSync(join(COMPILED, `${name}.gz`)));
}

/** Where each parameter begins, at a multiple of its size, and where the last ends. */
function layout(types: string): Pick<CubinKernel, 'parameters' | 'parameterBytes'> {
  let end = 0;
  const parameters = [...types].map((type) => {
    const bytes = BYTES[type] ?? Number.NaN;
    const offset = Math.ceil(end / bytes) * bytes;
    end = offset + bytes;
    return { offset, bytes };
  });
  return { parameters, parameterBytes: end };
}

/** What a program prints; null, with a word on it, where it is not on this machine. */
function printed(test: Mocha.Context, program: string, args: readonly string[], what: string): string {
  const { error, stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8' });
  if (error !== undefined) {
    process.stdout.write(`      skipped: ${program} is not on this machine, so ${what}\n`);
    test.skip();
  }
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout;
}

describe('the table of compiled kernels', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('is of the sources that are here', () => {
    const { stdout } = spawnSync(process.execPath, [BUILD, '--digest'], { encoding: 'utf8' });
    assert.equal(stdout.trim(), table.sources, 'sources were changed after the last run of kernels/build.mjs');
  });

  it('is of the files beside it, and there are no others', () => {
    const names = [...GENERATIONS.map((generation) => `sm_${generation}.cubin`), 'kernels.ptx'].sort();
    assert.deepEqual(Object.keys(table.files).sort(), names);
    assert.deepEqual(readdirSync(COMPILED).sort(), ['kernels.json', ...names.map((name) => `${name}.gz`)].sort());
    for (const [name, digest] of Object.entries(table.files))
      assert.equal(createHash('sha256').update(unpacked(name)).digest('hex'), digest, name);
  });

  for (const generation of GENERATIONS)
    it(`says what the cubin of sm_${generation} says: registers, stack, shared memory and parameters of every kernel`, () => {
      const kernels = readCubin(unpacked(`sm_${generation}.cubin`), generation);
      assert.deepEqual([...kernels.keys()].sort(), Object.keys(table.kernels));
      for (const [name, { parameters, on }] of Object.entries(table.kernels)) {
        const { spilled, ...row } = on[`sm_${generation}`] ?? assert.fail(`no row of ${name}`);
        assert.deepEqual({ ...row, ...layout(parameters) }, kernels.get(name), name);
        assert.ok(row.registers > 0 && row.registers <= 255, name);
        // What is spilled lies in the stack frame.
        assert.ok(spilled === 0 || row.stack > 0, `${name} spills without a stack`);
      }
    });

  it('says what the PTX says: the parameters of every kernel', () => {
    const ptx = unpacked('kernels.ptx').toString('latin1');
    const entries = ptx.split('.entry ').slice(1);
    const found = entries.map((entry): [string, string] => {
      const [name = '', list = ''] = entry.split(/[()]/);
      return [name.trim(), [...list.matchAll(/\.param \.(\w+)/g)].map(([, type = '']) => PTX_TYPES[type]).join('')];
    });
    const expected = Object.entries(table.kernels).map(([name, { parameters }]) => [name, parameters]);
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected));
    assert.equal(found.length, expected.length);
  });

  it('says what cuobjdump says', function () {
    for (const generation of GENERATIONS) {
      const file = join(folder.path, `sm_${generation}.cubin`);
      writeFileSync(file, unpacked(`sm_${generation}.cubin`));
      const program = process.env['CUOBJDUMP'] ?? 'cuobjdump';
      const text = printed(this, program, ['--dump-resource-usage', file], 'it is not asked about the kernels');
      const found = [...text.matchAll(/Function (\w+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)/g)];
      assert.equal(found.length, Object.keys(table.kernels).length);
      const reserved = generation >= 90 ? 1024 : 0;
      for (const [, name = '', registers, stack, shared, local] of found) {
        const { spilled: _, ...row } = table.kernels[name]?.on[`sm_${generation}`] ?? assert.fail(`no row of ${name}`);
        const said = { registers: Number(registers), stack: Number(stack), shared: Number(shared) - reserved };
        assert.deepEqual(said, row, `${name} on sm_${generation}`);
        assert.equal(local, '0');
      }
    }
  });

  it('is what comes out when they are compiled again, here for sm_90', function () {
    this.timeout(300_000);
    const compiler = process.env['NVCC'] ?? 'nvcc';
    printed(this, compiler, ['--version'], 'the kernels are not compiled again');
    const env = { ...process.env, GENERATIONS: '90' };
    const { stdout, stderr, status } = spawnSync(process.execPath, [BUILD, '--check'], { encoding: 'utf8', env });
    process.stdout.write(stdout.replaceAll(/^(?=.)/gm, '      '));
    assert.equal(status, 0, stderr);
  });
});
