import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { makeFolderSync } from '../make-folder.ts';
import { MIGRATIONS } from './migrations.ts';

const FILE = 'store.sqlite';
const BUSY_MS = 5000;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function isDamage(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

/** Applies the steps that the file lacks; another process may be at it at the same time. */
function migrate(database: Database.Database): void {
  const version = () => Number(database.pragma('user_version', { simple: true }));
  if (version() >= MIGRATIONS.length) return;
  const apply = database.transaction(() => {
    for (const step of MIGRATIONS.slice(version())) database.exec(step);
    database.pragma(`user_version = ${MIGRATIONS.length}`);
  });
  apply.immediate();
}

function open(path: string): Database.Database {
  const database = new Database(path, { timeout: BUSY_MS });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * The SQLite file of the user's storage folder. What it holds can always be made again, so nothing that happens to it
 * is an error to the user: a damaged file is put aside and made anew; where no file can be made, memory takes its place.
 */
export class StoreFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #note: (text: string) => void;
  #database: Database.Database;
  /** Which file is open, so that one that another process has made anew meanwhile is not put aside. */
  #inode: bigint | null;

  /** @param note is told what happened to the file, a sentence each */
  constructor(folder: string, note: (text: string) => void) {
    this.#folder = folder;
    this.#path = join(folder, FILE);
    this.#note = note;
    this.#inode = inodeOf(this.#path);
    this.#database = this.#open();
  }

  /** Runs `work`; `fallback` where the store fails, which is noted. */
  run<T>(work: (database: Database.Database) => T, fallback: T): T {
    try {
      return work(this.#database);
    } catch (error) {
      if (!codeOf(error).startsWith('SQLITE_')) throw error;
      if (!isDamage(error)) {
        this.#note(`The store ${this.#path} failed: ${reasonOf(error)}. It is only a cache; the work goes on without.`);
        return fallback;
      }
      this.#database.close();
      this.#putAside(error);
      this.#database = this.#open();
      return fallback;
    }
  }

  close(): void {
    this.#database.close();
  }

  #open(): Database.Database {
    try {
      makeFolderSync(this.#folder);
      return this.#openOrReplace();
    } catch (error) {
      this.#note(`The store ${this.#path} cannot be used: ${reasonOf(error)}. Nothing is kept beyond this process.`);
      return open(':memory:');
    }
  }

  #openOrReplace(): Database.Database {
    let database: Database.Database;
    try {
      database = open(this.#path);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#putAside(error);
      database = open(this.#path);
    }
    this.#inode = inodeOf(this.#path);
    return database;
  }

  #putAside(error: unknown): void {
    if (this.#inode === null || inodeOf(this.#path) !== this.#inode) return;
    const aside = `${this.#path}.damaged-${new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)}`;
    try {
      for (const suffix of ['', '-wal', '-shm'])
        if (inodeOf(this.#path + suffix) !== null) renameSync(this.#path + suffix, aside + suffix);
      this.#note(`The store was damaged (${reasonOf(error)}) and has been made anew; the old one is ${aside}.`);
    } catch (failure) {
      this.#note(`The damaged store ${this.#path} could not be put aside: ${reasonOf(failure)}.`);
    }
  }
}
