import type { SnapshotReason } from '../../protocol/sandbox-channel.ts';
import type { OpenMode } from './child-database.ts';
import { CLOCK_STEP_MS } from './clock-step.ts';
import { type FileState, type Header, locate, readHeader, stateOfCompanion } from './database-file.ts';

/** What decides how a file is opened, and whether an open connection still shows it. */
export interface Plan {
  /** Where the file lies, links followed. */
  path: string;
  mode: OpenMode;
  /** True where an open connection holds a lock: in WAL mode, as long as it lives. */
  closeAfter: boolean;
  state: FileState;
  header: Header;
  wal: FileState | null;
}

/**
 * How to read a database without leaving anything beside it. A reader in WAL mode makes `-wal` and `-shm` where they are
 * missing and cannot remove them:
 * - both are there: SQLite's usual way; nothing new is made. A program that closes the file while such a query runs
 *   leaves its own `-wal` and `-shm`, as it does with any other reader, and removes them the next time.
 * - `-wal` with content, no `-shm`: a snapshot, on which the index is made.
 * - WAL mode without `-wal`, or with an empty one: all is in the database file; opened as immutable, and checked after.
 * @throws AppError where the file is missing or not a database.
 */
export function planFor(db: string): Plan | { snapshot: SnapshotReason } {
  const { path, state } = locate(db);
  const header = readHeader(db, path, state);
  const wal = stateOfCompanion(db, `${path}-wal`);
  const base = { path, state, header, wal };
  // SQLite would wait for ever for the writer of a pipe that stands there.
  stateOfCompanion(db, `${path}-journal`);
  if (wal === null && !header.wal) return { ...base, mode: 'locking', closeAfter: false };
  if (wal !== null && stateOfCompanion(db, `${path}-shm`) !== null)
    return { ...base, mode: 'locking', closeAfter: true };
  if (wal !== null && wal.size > 0) return { snapshot: 'wal_without_index' };
  if (waitForClock(state.mtimeMs)) return planFor(db);
  return { ...base, mode: 'immutable', closeAfter: false };
}

/** Waits where a file was written so lately that a later write could go unnoticed. Returns whether it waited. */
function waitForClock(mtimeMs: number): boolean {
  const age = Date.now() - mtimeMs;
  if (age < 0 || age >= CLOCK_STEP_MS) return false;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CLOCK_STEP_MS - age);
  return true;
}

/** A snapshot of our own does not change. */
export function planForSnapshot(path: string): Plan {
  const { state } = locate(path);
  return { path, mode: 'private', closeAfter: false, state, header: readHeader(path, path, state), wal: null };
}

/** Whether a connection opened by `old` shows what one opened by `now` would. */
export function isSamePlan(old: Plan, now: Plan): boolean {
  if (old.mode !== now.mode || old.closeAfter !== now.closeAfter) return false;
  // SQLite's locks tell a connection of changes; without locks any change makes it stale.
  return now.mode === 'locking' ? isSameFile(old.state, now.state) : isSameContent(old, now);
}

/** Whether a file that was read without locks is still as it was planned. */
export function isUnchanged(db: string, plan: Plan): boolean {
  const now = planFor(db);
  return !('snapshot' in now) && now.mode === plan.mode && isSameContent(plan, now);
}

function isSameFile(one: FileState, other: FileState): boolean {
  return one.device === other.device && one.inode === other.inode;
}

function isSameContent(old: Plan, now: Plan): boolean {
  return (
    isSameFile(old.state, now.state) &&
    old.state.size === now.state.size &&
    old.state.mtimeMs === now.state.mtimeMs &&
    old.header.changeCounter === now.header.changeCounter &&
    old.wal?.inode === now.wal?.inode &&
    old.wal?.size === now.wal?.size
  );
}
