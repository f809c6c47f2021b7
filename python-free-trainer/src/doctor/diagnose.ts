import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, freemem, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { toWireError } from '../../../src/protocol/errors.ts';
import { storageFolder } from '../../../src/runtime/paths.ts';
import { type FoundLibrary, findLibrary, type LibraryName, thisMachine } from '../ffi/libraries.ts';
import { programVersion } from '../train/machine.ts';
import { type DriverReport, type Gpu, probeDriver } from './gpus.ts';
import { trySpecialising } from './kernels.ts';
import { selfTest } from './self-test.ts';

/**
 * One thing that was looked at. `ok`: it works; `absent`: it is not there and training goes without it; `broken`: it has to
 * work and does not.
 */
export interface Check {
  name: string;
  state: 'ok' | 'absent' | 'broken';
  /** What was found or, where something is missing, what to do. */
  detail: string;
}

/** What `sql-agent-trainer doctor` reports. */
export interface Diagnosis {
  versions: { program: string; node: string };
  machine: { platform: string; threads: number; memoryBytes: number; freeMemoryBytes: number };
  driver: DriverReport;
  libraries: FoundLibrary[];
  /** FLOP/s of matrix products on the CPU; null: not measured. */
  cpuFlops: number | null;
  storage: { path: string; freeBytes: number | null };
  checks: Check[];
}

const LIBRARIES: Record<LibraryName, { told: string; without: string; get: string }> = {
  cublasLt: {
    told: 'cuBLASLt',
    without: 'matrix products then use our own kernels, about half as fast on data-centre GPUs',
    get: 'SQL_AGENT_CUBLASLT',
  },
  nvrtc: {
    told: 'NVRTC',
    without: 'kernels are then not compiled for the model, and cuDNN is not used, which compiles with it',
    get: 'SQL_AGENT_NVRTC',
  },
  cudnn: {
    told: 'cuDNN',
    without: 'attention then uses our own kernels, about half as fast on an H100 or H200',
    get: 'SQL_AGENT_CUDNN',
  },
};

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

function gpuInWords({ name, memoryBytes, capability }: Gpu): string {
  return `${name}, ${gigabytes(memoryBytes)}, compute capability ${capability}`;
}

function driverChecks({ file, version, gpus, problem }: DriverReport): Check[] {
  const what = file === '' ? 'the NVIDIA driver' : `the NVIDIA driver (${file})`;
  if (problem !== null) return [{ name: 'gpu', state: 'absent', detail: `${what} ${problem}. The CPU is used.` }];
  const driver: Check = { name: 'driver', state: 'ok', detail: `${what} runs CUDA up to ${version}` };
  return [driver, ...gpus.map((gpu): Check => ({ name: 'gpu', state: 'ok', detail: gpuInWords(gpu) }))];
}

/** Whether NVRTC compiles kernels for the first GPU; nothing where there is none. */
async function kernelCheck({ gpus: [gpu] }: DriverReport, env: NodeJS.ProcessEnv): Promise<Check[]> {
  if (gpu === undefined) return [];
  const { isSpecialised, detail } = await trySpecialising(gpu, env);
  return [{ name: 'kernels', state: isSpecialised ? 'ok' : 'absent', detail }];
}

/** Of libraries that only training on a GPU uses, nothing needs to be done where there is none. */
function libraryCheck({ name, path, searched }: FoundLibrary, hasGpu: boolean): Check {
  const { told, without, get } = LIBRARIES[name];
  if (path !== null) return { name: told, state: 'ok', detail: path };
  const looked = `not found in ${searched.length} folders`;
  const advice = `${without}. Install the CUDA toolkit or name the file in ${get}; --json lists the folders`;
  return { name: told, state: 'absent', detail: hasGpu ? `${looked}: ${advice}` : `${looked}; only a GPU needs it` };
}

async function cpuCheck(): Promise<{ check: Check; flops: number | null }> {
  try {
    const { ok, losses, expected, device, flops } = await selfTest('cpu');
    const speed = flops === null ? '' : `, ${(flops / 1e9).toFixed(1)} GFLOP/s in matrix products`;
    const detail = ok
      ? `${device}${speed}; one step on a known model gave the known losses`
      : `one step on a known model gave the losses ${losses.join(' and ')} instead of ${expected.join(' and ')}: do not train with this installation; install it anew`;
    return { check: { name: 'self-test', state: ok ? 'ok' : 'broken', detail }, flops };
  } catch (error) {
    return { check: { name: 'self-test', state: 'broken', detail: toWireError(error).message }, flops: null };
  }
}

async function storageCheck(path: string): Promise<{ check: Check; freeBytes: number | null }> {
  const probe = join(path, `.doctor-${randomUUID()}`);
  try {
    mkdirSync(path, { recursive: true });
    await writeFile(probe, '');
    await rm(probe);
    const { bavail, bsize } = await statfs(path);
    const freeBytes = bavail * bsize;
    return { check: { name: 'storage', state: 'ok', detail: `${path}, ${gigabytes(freeBytes)} free` }, freeBytes };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const detail = `${path} cannot be written (${reason}): set SQL_AGENT_HOME to a folder that can`;
    return { check: { name: 'storage', state: 'broken', detail }, freeBytes: null };
  }
}

/** Tries what training needs, and says what was found. Never throws for what is missing or broken. */
export async function diagnose(env: NodeJS.ProcessEnv): Promise<Diagnosis> {
  const path = storageFolder(env);
  const [driver, storage, program, cpu] = [
    await probeDriver(env),
    await storageCheck(path),
    await programVersion(),
    await cpuCheck(),
  ];
  const names: LibraryName[] = ['cublasLt', 'nvrtc', 'cudnn'];
  const libraries = names.map((name) => findLibrary(name, { ...thisMachine, env }));
  return {
    versions: { program, node: process.versions.node },
    machine: {
      platform: `${platform()} ${arch()}`,
      threads: availableParallelism(),
      memoryBytes: totalmem(),
      freeMemoryBytes: freemem(),
    },
    driver,
    libraries,
    cpuFlops: cpu.flops,
    storage: { path, freeBytes: storage.freeBytes },
    checks: [
      ...driverChecks(driver),
      ...libraries.map((library) => libraryCheck(library, driver.gpus.length > 0)),
      ...(await kernelCheck(driver, env)),
      cpu.check,
      storage.check,
    ],
  };
}
