import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Kernels compiled for a model. */
export interface CompiledKernels {
  cubin: Buffer;
  /** "NVRTC 13.0". */
  by: string;
}

/** Cubins on disk, one file each. A file that is damaged counts as none; a folder that cannot be written costs only time. */
export class KernelCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get(key: string): CompiledKernels | null {
    try {
      const content: unknown = JSON.parse(readFileSync(this.#path(key), 'utf8'));
      return typeof content === 'object' && content !== null ? parse(content) : null;
    } catch {
      // None yet, or what is there is not whole.
      return null;
    }
  }

  set(key: string, { cubin, by }: CompiledKernels): void {
    const temporary = `${this.#path(key)}.${process.pid}`;
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(temporary, JSON.stringify({ by, sha256: digest(cubin), cubin: cubin.toString('base64') }));
      renameSync(temporary, this.#path(key));
    } catch {
      // The next start compiles again.
      remove(temporary);
    }
  }

  #path(key: string): string {
    return join(this.#folder, `${key}.json`);
  }
}

/** Half of a file, on a full disk say. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Where nothing can be removed nothing was written.
  }
}

function parse(content: object): CompiledKernels | null {
  const { by, sha256, cubin: text } = content as Record<string, unknown>;
  if (typeof by !== 'string' || typeof text !== 'string') return null;
  const cubin = Buffer.from(text, 'base64');
  return digest(cubin) === sha256 ? { cubin, by } : null;
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
