import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { storageFolder } from '../../../src/runtime/paths.ts';
import { findLibrary, thisMachine } from '../ffi/libraries.ts';
import { compile } from './compile.ts';
import { KernelCache } from './kernel-cache.ts';
import { type KernelConstants, kernelConstants, specialisedKernels } from './kernel-constants.ts';
import { kernelProgram, programKey } from './kernel-program.ts';

/** Kernels for one model on one GPU. */
export interface SpecialisedKernels {
  cubin: Buffer;
  /** "NVRTC 13.0". */
  by: string;
  /** Spent on compiling; null: they were there. */
  seconds: number | null;
  /** See `specialisedKernels`. */
  lastArguments: ReadonlyMap<string, readonly (number | null)[]>;
}

/** Kernels, or why there are none: a sentence; null where NVRTC was not found. */
export type Specialisation = { kernels: SpecialisedKernels } | { kernels: null; problem: string | null };

/**
 * The kernels that gain by it, compiled by NVRTC for the sizes of a model and for a GPU, or as they were kept from the last
 * time. Whatever goes wrong: the kernels that came with the package do the same, bit for bit. Never rejects.
 *
 * @param model its sizes
 * @param capability of the GPU, times ten
 * @param env as `process.env`, which names NVRTC and the folder of the cache
 */
export async function specialise(
  model: KernelConstants,
  capability: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Specialisation> {
  const { path } = findLibrary('nvrtc', { ...thisMachine, env });
  const constants = kernelConstants(model);
  if (path === null || constants === null) return { kernels: null, problem: null };
  try {
    const lastArguments = specialisedKernels(constants);
    const program = kernelProgram(constants);
    const cache = new KernelCache(join(storageFolder(env), 'kernels'));
    const key = programKey(program, identityOf(path), capability);
    const known = cache.get(key);
    if (known !== null) return { kernels: { ...known, seconds: null, lastArguments } };
    const started = performance.now();
    const reply = await compile({ file: path, program, capability });
    if ('problem' in reply) return { kernels: null, problem: sentence(path, reply.problem) };
    const made = { cubin: Buffer.from(reply.cubin), by: `NVRTC ${reply.version}` };
    cache.set(key, made);
    return { kernels: { ...made, seconds: (performance.now() - started) / 1000, lastArguments } };
  } catch (error) {
    return { kernels: null, problem: sentence(path, `was not used (${(error as Error).message})`) };
  }
}

/** Tells one version of the compiler from another without loading it, which takes longer than all else here. */
function identityOf(path: string): string {
  const file = realpathSync(path);
  const { size, mtimeMs } = statSync(file);
  return `${file} ${size} ${mtimeMs}`;
}

/** What a run's log says. */
function sentence(path: string, problem: string): string {
  return `Kernels are not compiled for this model, which costs only speed: NVRTC (${path}) ${problem}. SQL_AGENT_NVRTC names another file; "none" does without.`;
}
