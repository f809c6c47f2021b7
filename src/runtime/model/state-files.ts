import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '../alive.ts';
import { makeFolderSync } from '../make-folder.ts';

const SUFFIX = '.state';

async function fileSum(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

/**
 * Saved states of a model, one file a prompt prefix, the least recently used removed where all together grow beyond a
 * cap. A cache: whatever goes wrong with it costs time only, so nothing here throws.
 *
 * The engine may crash on a file that is not what it wrote, so a check sum lies beside each and is compared first.
 */
export class StateFiles {
  readonly #folder: string;
  readonly #maxBytes: number;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** The name of a state: of these weights, on this kind of engine, after these tokens. */
  static key(weights: string, engine: string, tokens: readonly number[]): string {
    return createHash('sha256')
      .update(`${weights}\n${engine}\n`)
      .update(Uint32Array.from(tokens))
      .digest('hex')
      .slice(0, 32);
  }

  #path(key: string): string {
    return join(this.#folder, `${key}${SUFFIX}`);
  }

  /** Path of a saved state that is whole, or null. Counts as a use. */
  async find(key: string): Promise<string | null> {
    const path = this.#path(key);
    try {
      const expected = await readFile(`${path}.sha256`, 'utf8');
      if (expected !== (await fileSum(path))) {
        await this.#remove(path);
        return null;
      }
      const now = new Date();
      await utimes(path, now, now);
      return path;
    } catch {
      return null;
    }
  }

  /** Keeps the state that `save` writes to the path it is given. */
  async keep(key: string, save: (path: string) => Promise<unknown>): Promise<void> {
    const path = this.#path(key);
    const temporary = `${path}.${process.pid}`;
    try {
      makeFolderSync(this.#folder);
      await save(temporary);
      await writeFile(`${path}.sha256`, await fileSum(temporary));
      await rename(temporary, path);
      await this.#trim();
    } catch {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  async #remove(path: string): Promise<void> {
    await rm(path, { force: true });
    await rm(`${path}.sha256`, { force: true });
  }

  async #trim(): Promise<void> {
    const all = await readdir(this.#folder);
    // What a killed process left half-written ends with its process id.
    for (const name of all)
      if (!isAlive(Number(/\.state\.(\d+)$/.exec(name)?.[1] ?? process.pid)))
        await rm(join(this.#folder, name), { force: true });
    const names = all.filter((name) => name.endsWith(SUFFIX));
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        const { size, mtimeMs } = await stat(path);
        return { path, size, mtimeMs };
      }),
    );
    files.sort((a, b) => b.mtimeMs - a.mtimeMs);
    let total = 0;
    for (const file of files) {
      total += file.size;
      if (total > this.#maxBytes) await this.#remove(file.path);
    }
  }
}
