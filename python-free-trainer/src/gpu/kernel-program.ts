import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/runtime/paths.ts';
import type { NvrtcProgram } from '../ffi/nvrtc.ts';
import { defines, type KernelConstants } from './kernel-constants.ts';

const SOURCES_FOLDER = join(packageRoot, 'python-free-trainer/kernels');
/** Sources with kernels that are compiled for a model, and what they include. */
const UNITS = ['norm.cu', 'rotate.cu', 'swiglu.cu'];
const HEADERS = ['common.cuh'];

/** The kernels for a model as a program that reads no file. @throws Error of the file system */
export function kernelProgram(constants: KernelConstants, folder: string = SOURCES_FOLDER): NvrtcProgram {
  const texts = [...HEADERS, ...UNITS].map((name): [string, string] => [
    name,
    readFileSync(join(folder, name), 'utf8'),
  ]);
  return {
    source: UNITS.map((name) => `#include "${name}"\n`).join(''),
    headers: new Map(texts),
    options: ['--std=c++17', ...defines(constants)],
  };
}

/** SHA-256 of all that a cubin depends on. @param compiler which one, as `compilerOf` tells it */
export function programKey({ source, headers, options }: NvrtcProgram, compiler: string, capability: number): string {
  const all = [source, [...headers], options, compiler, capability];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

/**
 * Of the generations that a compiler knows, the one whose code a GPU runs best: its own, else the newest before it with the
 * same first number; null: none.
 */
export function bestArchitecture(known: readonly number[], capability: number): number | null {
  const family = Math.floor(capability / 10);
  const fitting = known.filter((own) => own <= capability && Math.floor(own / 10) === family);
  return fitting.length === 0 ? null : Math.max(...fitting);
}
