// Compiles the kernels: `node python-free-trainer/kernels/build.mjs [--check | --digest]`. Needs nvcc (NVCC names it; CUDA 12.8 or
// newer for sm_120), which users do not: the results in `compiled/` are part of the package.
//
// compiled/sm_NN.cubin.gz: all kernels for one generation; compiled/kernels.ptx.gz: for others; compiled/kernels.json: the digest of
// the sources, the release of nvcc, digests of the files as unpacked, and of each kernel its parameters (l: 64 bits, i: 32-bit
// integer, f: float) and per generation its registers, bytes spilled, bytes of its stack frame and of static shared memory.
// --check compiles into a temporary folder and compares the table with the one that is there: all of it where nvcc is of the same
// release, else parameters and that nothing spills more. GENERATIONS=90 does this for one generation.
// --digest prints the digest of the sources and needs no nvcc.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = fileURLToPath(new URL('.', import.meta.url));
const compiled = join(here, 'compiled');
const GENERATIONS = (process.env.GENERATIONS ?? '80,86,89,90,100,120').split(',');
/** PTX of this version assembles with drivers from CUDA 11.1 on; the kernels use nothing newer. */
const PTX_TARGET = '80';
const FLAGS = ['-O3', ...(process.env.NVCC_FLAGS?.split(' ') ?? [])];

function nvcc(args) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const child = spawn(process.env.NVCC ?? 'nvcc', args);
  let [out, errors] = ['', ''];
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (errors += text));
  child.on('error', ({ message }) =>
    reject(new Error(`nvcc does not start (${message}). Put it on the PATH or name it in NVCC.`)),
  );
  child.on('close', (code) =>
    code === 0 ? resolve(out + errors) : reject(new Error(`nvcc ${args.join(' ')} failed:\n${errors}`)),
  );
  return promise;
}

/** As nvcc says it: "13.0.88". */
async function release() {
  return /V(\d+\.\d+\.\d+)/.exec(await nvcc(['--version']))?.[1] ?? 'unknown';
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Of the names and texts of all sources; ends of lines count as one character on every system. */
function digest() {
  const texts = readdirSync(here)
    .filter((file) => /\.cuh?$/.test(file))
    .sort()
    .map((file) => `${file}\n${readFileSync(join(here, file), 'utf8').replaceAll('\r\n', '\n')}`);
  return sha256(texts.join('\0'));
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
  for (const part of log.split("Compiling entry function '").slice(1)) {
    const number = (pattern) => Number(pattern.exec(part)?.[1] ?? 0);
    kernels[/^\w+/.exec(part)[0]] = {
      registers: number(/Used (\d+) registers/),
      spilled: number(/(\d+) bytes spill stores/) + number(/(\d+) bytes spill loads/),
      stack: number(/(\d+) bytes stack frame/),
      shared: number(/(\d+) bytes smem/),
    };
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

/** Runs jobs, as many at once as there are cores. */
async function all(jobs) {
  const left = [...jobs];
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) await job();
  });
  await Promise.all(workers);
}

/** Compiles in a temporary folder. Returns the table and the files as unpacked. */
async function compile(generations) {
  const sources = digest();
  const folder = mkdtempSync(join(tmpdir(), 'kernels-'));
  try {
    const source = wholeSource(folder);
    const common = [...FLAGS, '-Xptxas', '-v', `-I${here}`];
    const [on, files] = [{}, {}];
    const cubin = async (generation) => {
      const name = `sm_${generation}`;
      const path = join(folder, name);
      on[name] = usage(await nvcc([...common, '-cubin', `-arch=${name}`, '-o', path, source]));
      files[`${name}.cubin`] = readFileSync(path);
    };
    const ptx = async () => {
      const path = join(folder, 'ptx');
      await nvcc([...common, '-ptx', `-arch=compute_${PTX_TARGET}`, '-o', path, source]);
      // The path of the source stands in comments.
      const text = readFileSync(path, 'utf8').replaceAll(/^\s*(\/\/|\.file).*\n/gm, '');
      files['kernels.ptx'] = Buffer.from(text);
    };
    await all([...generations.map((generation) => () => cubin(generation)), ptx]);
    if (digest() !== sources) throw new Error('A source was changed while it was compiled. Run build.mjs again.');
    return { sources, compiler: await release(), flags: FLAGS.join(' '), files, kernels: tableOf(on, files) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tableOf(on, files) {
  const generations = Object.keys(on).sort((a, b) => a.slice(3) - b.slice(3));
  const rows = Object.entries(parameters(files['kernels.ptx'].toString('utf8')))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, types]) => [
      name,
      {
        parameters: types,
        on: Object.fromEntries(generations.map((generation) => [generation, on[generation][name]])),
      },
    ]);
  return Object.fromEntries(rows);
}

/** A line a kernel and generation, so that a change shows as such. */
function textOf({ files, kernels, ...rest }) {
  const digests = Object.fromEntries(
    Object.entries(files)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, bytes]) => [name, sha256(bytes)]),
  );
  const text = JSON.stringify({ ...rest, files: digests, kernels }, null, 1);
  return `${text.replaceAll(/\{\s+("registers"[^}]*?)\s+\}/g, (_, list) => `{ ${list.replaceAll(/\s+/g, ' ')} }`)}\n`;
}

async function build() {
  const made = await compile(GENERATIONS);
  mkdirSync(compiled, { recursive: true });
  for (const [name, bytes] of Object.entries(made.files))
    writeFileSync(join(compiled, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  writeFileSync(join(compiled, 'kernels.json'), textOf(made));
  const names = Object.keys(made.kernels);
  const spilling = names.filter((name) => Object.values(made.kernels[name].on).some(({ spilled }) => spilled > 0));
  const where = GENERATIONS.map((generation) => `sm_${generation}`).join(', ');
  console.log(`${names.length} kernels for ${where} and PTX; spilling: ${spilling.join(', ') || 'none'}`);
}

/** What differs between the kept table and one compiled now, a line each. */
function differences(kept, made) {
  const isSame = kept.compiler === made.compiler && kept.flags === made.flags;
  const found = [];
  for (const name of Object.keys({ ...kept.kernels, ...made.kernels })) {
    const [old, now] = [kept.kernels[name], made.kernels[name]];
    if (old === undefined || now === undefined) found.push(`${name} is in one of the tables alone`);
    else {
      if (old.parameters !== now.parameters) found.push(`${name}: parameters ${now.parameters}, not ${old.parameters}`);
      for (const [generation, row] of Object.entries(now.on)) {
        const [before, after] = [JSON.stringify(old.on[generation]), JSON.stringify(row)];
        const isWorse = isSame ? before !== after : row.spilled > (old.on[generation]?.spilled ?? 0);
        if (isWorse) found.push(`${name} on ${generation}: ${after}, not ${before}`);
      }
    }
  }
  return found;
}

async function check() {
  const kept = JSON.parse(readFileSync(join(compiled, 'kernels.json'), 'utf8'));
  const known = (await nvcc(['--list-gpu-code'])).split(/\s+/);
  const generations = GENERATIONS.filter((generation) => known.includes(`sm_${generation}`));
  const left = GENERATIONS.filter((generation) => !generations.includes(generation));
  const made = await compile(generations);
  if (left.length > 0) console.log(`nvcc ${made.compiler} does not know sm_${left.join(', sm_')}: not compiled.`);
  if (kept.compiler !== made.compiler || kept.flags !== made.flags)
    console.log(
      `The table is of nvcc ${kept.compiler} ${kept.flags}, this one is ${made.compiler} ${made.flags}: registers may differ and are not compared.`,
    );
  const found = differences(kept, made);
  if (made.sources !== kept.sources) found.unshift('The sources are not those that were compiled.');
  const what = `${Object.keys(made.kernels).length} kernels on sm_${generations.join(', sm_')}`;
  console.log(
    found.length === 0
      ? `The table is as compiled: ${what}.`
      : `${found.join('\n')}\nThe table differs: run build.mjs.`,
  );
  process.exitCode = found.length === 0 ? 0 : 1;
}

if (process.argv.includes('--digest')) console.log(digest());
else if (process.argv.includes('--check')) await check();
else await build();
