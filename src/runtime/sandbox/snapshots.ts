import { chmod, constants, copyFile, mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../protocol/errors.ts';
import type { SnapshotReason } from '../../protocol/sandbox-channel.ts';
import { CLOCK_STEP_MS } from './clock-step.ts';
import { stateOfCompanion } from './database-file.ts';
import { databaseChanging, snapshotFailed, superJournal } from './errors.ts';

/** A copy of a database and what the user is told about it. */
export interface Snapshot {
  path: string;
  note: string;
}

interface Kept {
  state: string;
  snapshot: Snapshot;
  /** Folders of this and earlier copies. */
  folders: string[];
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
    // SQLite keeps the companions beside the file itself, not beside a link to it.
    const origin = await realpath(db).catch(() => db);
    const kept = this.#kept.get(origin);
    if (kept?.state === (await stateOf(origin)).text) return kept.snapshot;
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const before = await settledState(origin);
      const path = await this.#copy(db, origin);
      if ((await stateOf(origin)).text !== before) {
        await remove(dirname(path));
        continue;
      }
      const snapshot = { path, note: `Read from a copy of ${db}, because ${REASONS[reason]}.` };
      const folders = await withoutOld([...(kept?.folders ?? []), dirname(path)]);
      this.#kept.set(origin, { state: before, snapshot, folders });
      return snapshot;
    }
    throw databaseChanging(db);
  }

  async #copy(db: string, origin: string): Promise<string> {
    const folder = join(this.#folder, String(++this.#count));
    const path = join(folder, 'snapshot.sqlite');
    try {
      await mkdir(folder, { recursive: true });
      await copyWritable(origin, path);
      for (const ending of COMPANIONS)
        if (stateOfCompanion(db, origin + ending) !== null) await copyWritable(origin + ending, path + ending);
      if (await namesSuperJournal(`${path}-journal`)) throw superJournal(db);
      return path;
    } catch (error) {
      await remove(folder);
      if (error instanceof AppError) throw error;
      throw snapshotFailed(db, error instanceof Error ? error.message : String(error));
    }
  }
}

/** Removes all but the last two copies: a query may be on its way to the one before the last. */
async function withoutOld(folders: string[]): Promise<string[]> {
  for (const folder of folders.slice(0, -2)) await remove(folder);
  return folders.slice(-2);
}

/** Removes a folder; one that is still in use stays until the pool's folder is removed. */
async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {});
}

/** SQLite must be able to work on the copy, which has the rights of its original at first. */
async function copyWritable(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
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

/** What tells one state of a database and its companions from another, and when it was last written. */
async function stateOf(origin: string): Promise<{ text: string; writtenMs: number }> {
  const paths = [origin, ...COMPANIONS.map((ending) => origin + ending)];
  const states = await Promise.all(paths.map((path) => stat(path, { bigint: true }).catch(() => null)));
  return {
    text: states.map((stats) => (stats ? `${stats.ino}:${stats.size}:${stats.mtimeNs}` : '-')).join(' '),
    writtenMs: Math.max(...states.map((stats) => Number(stats?.mtimeMs ?? 0n))),
  };
}

/** The state once it is so old that a later write must show in it. */
async function settledState(origin: string): Promise<string> {
  const { text, writtenMs } = await stateOf(origin);
  const age = Date.now() - writtenMs;
  if (age < 0 || age >= CLOCK_STEP_MS) return text;
  await delay(CLOCK_STEP_MS - age);
  return settledState(origin);
}
