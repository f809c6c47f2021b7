import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../src/runtime/paths.ts';

const KERNELS = join(packageRoot, 'python-free-trainer/kernels');
const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Functions of common.cuh that are written in PTX, and what stands for them. */
const BODIES: Readonly<Record<string, string>> = {
  'u32 pack(': 'return toBfloat16(first) | (u32)toBfloat16(second) << 16;',
  'b16 narrow(': 'return toBfloat16(value);',
  'float powerOfTwo(': 'return powerOfTwoOf(x);',
  'void copyAsync(': 'copyLater(shared, global, valid);',
  'void copyCommit(': 'commitCopies();',
  'void copyWait(': 'waitForCopies(left);',
  'void loadMatrices(': 'readMatrices(r, address, false);',
  'void loadMatricesTransposed(': 'readMatrices(r, address, true);',
  'void multiply(': 'multiplyFragments(c, a, b0, b1);',
};

const C_TYPES: Readonly<Record<string, string>> = { l: 'long', i: 'int', f: 'float' };

/**
 * Compiles the kernels for the host, with a driver that runs them there: a library to be named in SQL_AGENT_CUDA_DRIVER.
 * @param folder for the library and what it is made of
 * @throws Error where the compiler fails, or where a source says something in PTX that stands in no function known here
 */
export function buildEmulator(folder: string, compiler: string, flags: readonly string[]): string {
  for (const file of readdirSync(KERNELS).filter((name) => /\.cuh?$/.test(name)))
    writeFileSync(join(folder, file), forHost(file, readFileSync(join(KERNELS, file), 'utf8')));
  const kernels = join(folder, 'kernels.cpp');
  writeFileSync(kernels, entries());
  const library = join(folder, 'libcuda-emulated.so');
  const sources = [kernels, join(HERE, 'warps.cpp'), join(HERE, 'driver.cpp')];
  const common = ['-w', '-O2', '-march=native', '-fno-strict-aliasing', '-fPIC', '-shared', `-I${HERE}`, ...flags];
  const { status, stderr, error } = spawnSync(compiler, [...common, '-o', library, ...sources], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${compiler} failed: ${error?.message ?? stderr}`);
  return library;
}

function forHost(file: string, source: string): string {
  // There is one block at a time, and one piece of shared memory.
  let text = source.replaceAll('extern __shared__', 'extern');
  if (file === 'common.cuh')
    for (const [signature, body] of Object.entries(BODIES)) text = withBody(text, `DEVICE ${signature}`, body);
  if (/\basm\b/.test(text)) throw new Error(`${file}: PTX that has no counterpart in test/gpu/emulator/build.ts`);
  return text;
}

/** A source in which a function has another body; bodies hold no braces in strings but pairs. */
function withBody(source: string, signature: string, body: string): string {
  const start = source.indexOf('{', source.indexOf(signature));
  if (!source.includes(signature) || start < 0) throw new Error(`common.cuh has no ${signature}…)`);
  let [depth, end] = [0, start];
  do {
    if (source[end] === '{') depth++;
    if (source[end] === '}') depth--;
    end++;
  } while (depth > 0);
  return `${source.slice(0, start)}{ ${body} }${source.slice(end)}`;
}

/** All kernels, and a table of calls that take arguments as the driver does. */
function entries(): string {
  const { kernels } = JSON.parse(readFileSync(join(KERNELS, 'compiled/kernels.json'), 'utf8')) as {
    kernels: Record<string, { parameters: string }>;
  };
  const sources = readdirSync(KERNELS).filter((name) => name.endsWith('.cu'));
  const calls = Object.entries(kernels).map(([name, { parameters }]) => {
    const types = [...parameters].map((type) => C_TYPES[type] ?? 'void');
    const values = types.map((type, index) => `*(${type}*)arguments[${index}]`);
    // Pointers are passed as whole numbers of their size are.
    return `{"${name}", [](void** arguments) { ((void (*)(${types.join(', ')}))(void*)&${name})(${values.join(', ')}); }}`;
  });
  return [
    '#include "cuda.h"',
    ...sources.sort().map((file) => `#include "${file}"`),
    'struct Entry { const char* name; void (*call)(void**); };',
    'extern const Entry entries[];',
    `const Entry entries[] = {${calls.join(',\n')}, {nullptr, nullptr}};`,
    '',
  ].join('\n');
}
