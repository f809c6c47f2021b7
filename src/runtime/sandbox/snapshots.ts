import { constants, copyFile, mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../protocol/errors.ts';
import type { SnapshotReason } from '../../protocol/sandbox-channel.ts';
import { databaseChanging, snapshotFailed, superJournal } from './errors.ts';

/** A copy of a database and what the user is told about it. */
export interface Snapshot {
  path: string;
  note: string;
}

interface Kept {
  state: string;
  snapshot: Snapshot;
}

const MAX_TRIES = 3;
const COMPANIONS = ['-wal', '-journal'];

const REASONS: Record<SnapshotReason, string> = {
  wal_without_index: 'its -wal file has no -shm file beside it',
  read_only_folder: 'its folder cannot be written, which the -wal file needs',
  hot_journal: 'a program left a half-done write in its -journal file, which was undone in the copy',
  changing: 'it was being written meanwhile',
};

/** Copies of databases that cannot be read in place; one per state of a file, shared by all children of a pool. */
export class SnapshotStore {
  #folder: string;
  #kept = new Map<string, Kept>();
  #pending = new Map<string, Promise<Snapshot>>();
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws AppError where the file cannot be copied whole. */
  obtain(db: string, reason: SnapshotReason): Promise<Snapshot> {
    const pending = this.#pending.get(db);
    if (pending) return pending;
    const made = this.#obtain(db, reason).finally(() => this.#pending.delete(db));
    this.#pending.set(db, made);
    return made;
  }

  /** Resolves when no copy is being made any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#pending.values());
  }

  async #obtain(db: string, reason: SnapshotReason): Promise<Snapshot> {
    const kept = this.#kept.get(db);
    const state = await fingerprint(db);
    if (kept?.state === state) return kept.snapshot;
    this.#kept.delete(db);
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const before = await fingerprint(db);
      const path = await this.#copy(db);
      if ((await fingerprint(db)) === before) {
        const snapshot = { path, note: `Read from a copy of ${db}, because ${REASONS[reason]}.` };
        this.#kept.set(db, { state: before, snapshot });
        return snapshot;
      }
    }
    throw databaseChanging(db);
  }

  async #copy(db: string): Promise<string> {
    const folder = join(this.#folder, String(++this.#count));
    const path = join(folder, 'snapshot.sqlite');
    try {
      await mkdir(folder, { recursive: true });
      await copyFile(db, path, constants.COPYFILE_FICLONE);
      for (const ending of COMPANIONS) await copyCompanion(db + ending, path + ending);
      if (await namesSuperJournal(`${path}-journal`)) throw superJournal(db);
      return path;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      if (error instanceof AppError) throw error;
      throw snapshotFailed(db, error instanceof Error ? error.message : String(error));
    }
  }
}

async function copyCompanion(from: string, to: string): Promise<void> {
  if ((await stat(from).catch(() => null)) !== null) await copyFile(from, to, constants.COPYFILE_FICLONE);
}

/** The last bytes of a rollback journal that names a super-journal. */
const SUPER_JOURNAL_MAGIC = 'd9d505f920a163d7';

/**
 * Whether a rollback journal ends with the name of a super-journal, which SQLite would read, and delete, wherever it is
 * (https://sqlite.org/fileformat2.html#the_rollback_journal).
 */
async function namesSuperJournal(journal: string): Promise<boolean> {
  const file = await open(journal).catch(() => null);
  if (file === null) return false;
  try {
    const { size } = await file.stat();
    const length = SUPER_JOURNAL_MAGIC.length / 2;
    if (size < length) return false;
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('hex') === SUPER_JOURNAL_MAGIC;
  } finally {
    await file.close();
  }
}

async function fingerprint(db: string): Promise<string> {
  const states = await Promise.all(
    [db, ...COMPANIONS.map((ending) => db + ending)].map(async (path) => {
      const stats = await stat(path, { bigint: true }).catch(() => null);
      return stats ? `${stats.ino}:${stats.size}:${stats.mtimeNs}` : '-';
    }),
  );
  return states.join(' ');
}
