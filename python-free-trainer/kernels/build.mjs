// Compiles the kernels: `node python-free-trainer/kernels/build.mjs [--check]`. Needs nvcc (NVCC names it; CUDA 12.8 or newer for
// sm_120), which users do not: the results in `compiled/` are part of the package.
//
// compiled/sm_NN.cubin.gz: all kernels for one generation; compiled/kernels.ptx.gz: for others; compiled/kernels.json: of each kernel its parameters
// (l: 64 bits, i: 32-bit integer, f: float), and per generation registers, bytes spilled, bytes of static shared memory.
// --check compiles into a temporary folder and compares the table with the one that is there.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = fileURLToPath(new URL('.', import.meta.url));
const GENERATIONS = (process.env.GENERATIONS ?? '80,86,89,90,100,120').split(',');
/** PTX of this version assembles with drivers from CUDA 11.1 on; the kernels use nothing newer. */
const PTX_TARGET = '80';

function nvcc(args) {
  const done = spawnSync(process.env.NVCC ?? 'nvcc', args, { encoding: 'utf8' });
  if (done.error)
    throw new Error(`nvcc does not start (${done.error.message}). Put it on the PATH or name it in NVCC.`);
  if (done.status !== 0) throw new Error(`nvcc ${args.join(' ')} failed:\n${done.stderr}`);
  return done.stderr + done.stdout;
}

/** One file that includes all others, so that there is one module. */
function wholeSource(folder) {
  const files = readdirSync(here)
    .filter((file) => file.endsWith('.cu'))
    .sort();
  const path = join(folder, 'all.cu');
  writeFileSync(path, files.map((file) => `#include "${join(here, file)}"\n`).join(''));
  return path;
}

/** What ptxas says of each kernel. */
function usage(log) {
  const kernels = {};
  let name = null;
  for (const line of log.split('\n')) {
    name = /Compiling entry function '(\w+)'/.exec(line)?.[1] ?? name;
    const spills = /(\d+) bytes spill stores, (\d+) bytes spill loads/.exec(line);
    const used = /Used (\d+) registers.*?(?:(\d+) bytes smem)?/.exec(line);
    if (name === null) continue;
    kernels[name] ??= {};
    if (spills) kernels[name].spilled = Number(spills[1]) + Number(spills[2]);
    if (used) kernels[name].registers = Number(used[1]);
  }
  return kernels;
}

/** Types of the parameters of each kernel. */
function parameters(ptx) {
  const kernels = {};
  for (const [, name, list] of ptx.matchAll(/\.entry (\w+)\(([^)]*)\)/g))
    kernels[name] = [...list.matchAll(/\.param \.(\w+)/g)]
      .map(([, type]) => ({ u64: 'l', u32: 'i', f32: 'f' })[type] ?? '?')
      .join('');
  return kernels;
}

function compile(out) {
  mkdirSync(out, { recursive: true });
  const source = wholeSource(out);
  const common = ['-O3', '-Xptxas', '-v', `-I${here}`, ...(process.env.NVCC_FLAGS?.split(' ') ?? [])];
  const perGeneration = {};
  const scratch = join(out, 'scratch');
  for (const generation of GENERATIONS) {
    perGeneration[generation] = usage(nvcc([...common, '-cubin', `-arch=sm_${generation}`, '-o', scratch, source]));
    writeFileSync(join(out, `sm_${generation}.cubin.gz`), gzipSync(readFileSync(scratch), { level: 9 }));
  }
  nvcc([...common, '-ptx', `-arch=compute_${PTX_TARGET}`, '-o', scratch, source]);
  // The path of the source stands in comments.
  const ptx = readFileSync(scratch, 'utf8')
    .replaceAll(/^\s*\/\/.*\n/gm, '')
    .replaceAll(/^\s*\.file.*\n/gm, '');
  writeFileSync(join(out, 'kernels.ptx.gz'), gzipSync(ptx, { level: 9 }));
  rmSync(scratch);
  rmSync(source);
  const table = Object.entries(parameters(ptx))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, types]) => [
      name,
      {
        parameters: types,
        on: Object.fromEntries(GENERATIONS.map((generation) => [`sm_${generation}`, perGeneration[generation][name]])),
      },
    ]);
  const kernels = Object.fromEntries(table);
  writeFileSync(join(out, 'kernels.json'), `${JSON.stringify({ kernels }, null, 1)}\n`);
  return kernels;
}

if (process.argv.includes('--check')) {
  const folder = mkdtempSync(join(tmpdir(), 'kernels-'));
  try {
    const made = compile(folder);
    const kept = JSON.parse(readFileSync(join(here, 'compiled/kernels.json'), 'utf8')).kernels;
    const differing = Object.keys({ ...made, ...kept }).filter(
      (name) => JSON.stringify(made[name]) !== JSON.stringify(kept[name]),
    );
    console.log(
      differing.length === 0
        ? 'The table of the kernels is as compiled.'
        : `The table differs for ${differing.join(', ')}: run build.mjs.`,
    );
    process.exitCode = differing.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else {
  const kernels = compile(join(here, 'compiled'));
  const spilling = Object.entries(kernels).filter(([, { on }]) => Object.values(on).some(({ spilled }) => spilled > 0));
  console.log(
    `${Object.keys(kernels).length} kernels for ${GENERATIONS.map((generation) => `sm_${generation}`).join(', ')} and PTX; spilling: ${spilling.map(([name]) => name).join(', ') || 'none'}`,
  );
}
