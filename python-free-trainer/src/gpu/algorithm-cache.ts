import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Algorithms of matrix products by shape, kept in a file for one GPU and one version of the library. A file that cannot be read
 * or written costs only time: all are timed again.
 */
export class AlgorithmCache {
  readonly #path: string | null;
  readonly #known = new Map<string, string>();

  /** @param path null: kept in memory alone */
  constructor(path: string | null) {
    this.#path = path;
    if (path === null) return;
    try {
      const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
      if (typeof content !== 'object' || content === null) return;
      for (const [key, value] of Object.entries(content)) if (typeof value === 'string') this.#known.set(key, value);
    } catch {
      // No file yet, or one that another process is replacing.
    }
  }

  /** The algorithm's bytes; null where the shape is new. */
  get(key: string): Buffer | null {
    const known = this.#known.get(key);
    return known === undefined ? null : Buffer.from(known, 'base64');
  }

  /** Also writes the file: another run, or a resume after a crash, must choose the same to get the same bits. */
  set(key: string, bytes: Buffer): void {
    this.#known.set(key, bytes.toString('base64'));
    this.#save();
  }

  #save(): void {
    if (this.#path === null) return;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      const temporary = `${this.#path}.${process.pid}`;
      writeFileSync(temporary, JSON.stringify(Object.fromEntries(this.#known)));
      renameSync(temporary, this.#path);
    } catch {
      // The next start times them again.
    }
  }
}
