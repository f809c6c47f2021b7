import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Algorithms of matrix products by shape, kept in a file for one GPU and one version of the library: a line `[shape, bytes]` for
 * each, of which the first of a shape counts, whoever wrote it, and `[shape, null]` where what stood before does not run. Lines
 * are only ever added, so that trainings beside each other choose the same and none takes a choice from another: with another
 * algorithm a run that is resumed would not get the same bits. A file that cannot be read or written costs only time: all are
 * timed again.
 */
export class AlgorithmCache {
  readonly #path: string | null;
  #known = new Map<string, string>();

  /** @param path null: kept in memory alone */
  constructor(path: string | null) {
    this.#path = path;
    this.#read();
  }

  /** The algorithm's bytes; null where the shape is new. */
  get(key: string): Buffer | null {
    const known = this.#known.get(key);
    return known === undefined ? null : Buffer.from(known, 'base64');
  }

  /** @returns the bytes that count: those of another training where it was first */
  set(key: string, bytes: Buffer): Buffer {
    const text = bytes.toString('base64');
    this.#known.set(key, text);
    this.#add([key, text]);
    return this.get(key) ?? bytes;
  }

  /** Takes back what does not run here. */
  forget(key: string): void {
    this.#known.delete(key);
    this.#add([key, null]);
  }

  #add(line: [key: string, bytes: string | null]): void {
    if (this.#path === null) return;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      // Begins a line of its own, whatever a process that was killed left before it.
      appendFileSync(this.#path, `\n${JSON.stringify(line)}\n`);
      this.#read();
    } catch {
      // The next start times them again.
    }
  }

  #read(): void {
    if (this.#path === null) return;
    let content: string;
    try {
      content = readFileSync(this.#path, 'utf8');
    } catch {
      return;
    }
    const known = new Map<string, string>();
    for (const line of content.split('\n')) {
      const [key, bytes] = entryOf(line);
      if (key === null) continue;
      if (bytes === null) known.delete(key);
      else if (!known.has(key)) known.set(key, bytes);
    }
    this.#known = known;
  }
}

function entryOf(line: string): [key: string, bytes: string | null] | [null] {
  try {
    const entry: unknown = JSON.parse(line);
    if (!Array.isArray(entry)) return [null];
    const [key, bytes] = entry as unknown[];
    return typeof key === 'string' && (bytes === null || typeof bytes === 'string') ? [key, bytes] : [null];
  } catch {
    // Empty, or cut off where a process was killed.
    return [null];
  }
}
