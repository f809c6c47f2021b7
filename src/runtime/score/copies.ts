import { constants, rmSync } from 'node:fs';
import { chmod, copyFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePoolFolder, removeStaleFolders } from '../sandbox/pool-folder.ts';
import { contentStateOf } from '../store/content-state.ts';
import { perturb } from '../store/perturb.ts';
import { RecentMap } from './kept.ts';
import type { KnownDatabase } from './known-database.ts';

/** Larger databases are not copied: their copies would take longer than all the rest. */
const MOST_COPIED_BYTES = 50 * 2 ** 20;
/** Disk space of all copies together, about; those used longest ago go first. */
const MOST_DISK_BYTES = 2 ** 30;

/** A copy that is in use by a query goes with the folder. */
async function remove(path: string | null): Promise<void> {
  if (path !== null) await rm(path, { force: true }).catch(() => {});
}

/** Changed copies of databases, each made once for a content and a seed, in a temporary folder. */
export class PerturbedCopies {
  readonly #parent: string;
  #folder: string | null = null;
  #cleaning: Promise<void> | null = null;
  readonly #copies: RecentMap<Promise<string | null>>;
  #count = 0;

  constructor(parent: string = tmpdir()) {
    this.#parent = parent;
    this.#copies = new RecentMap(MOST_DISK_BYTES, (copy) => {
      void copy.then((path) => remove(path));
    });
  }

  /** Path of the copy; null where none can be made: too large, or the file cannot be copied or changed. */
  of(known: KnownDatabase, seed: number): Promise<string | null> {
    if (known.state.bytes > MOST_COPIED_BYTES) return Promise.resolve(null);
    const key = `${known.content} ${seed}`;
    const made = this.#copies.get(key);
    if (made) return made;
    const copy = this.#make(known, seed).catch(() => null);
    this.#copies.set(key, copy, known.state.bytes);
    return copy;
  }

  async #make({ db, state }: KnownDatabase, seed: number): Promise<string | null> {
    this.#folder ??= makePoolFolder(this.#parent);
    this.#cleaning ??= removeStaleFolders(this.#parent);
    const path = join(this.#folder, `${++this.#count}.sqlite`);
    await this.#cleaning;
    for (const ending of state.hasLog ? ['', '-wal'] : ['']) {
      await copyFile(state.path + ending, path + ending, constants.COPYFILE_FICLONE);
      await chmod(path + ending, 0o600);
    }
    // A copy of a file that was written meanwhile may be torn.
    if (contentStateOf(db)?.text !== state.text) return null;
    perturb(path, seed);
    return path;
  }

  /** Removes all copies. */
  dispose(): void {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }
}
