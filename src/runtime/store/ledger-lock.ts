import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { ledgerBusy, ledgerLockForeign, ledgerUnwritable } from './ledger-errors.ts';

/** Between two tries, in milliseconds; drawn anew each time, so that no process waits in step with another. */
const POLL_MS = { least: 2, most: 12 };
/** Writing a line takes milliseconds; whoever holds the lock for so long hangs. */
const PATIENCE_MS = 30_000;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * SQLite's write lock on an empty file. The system gives it back when its holder ends, however it ends, so there is no
 * stale lock to tell from a held one. Nothing is ever written to the file, and it stays: removing it would let two
 * processes lock two files of one name.
 */
function tryLock(path: string): Database.Database | null {
  const database = new Database(path, { timeout: 0 });
  try {
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN IMMEDIATE');
    return database;
  } catch (error) {
    database.close();
    if (codeOf(error).startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
}

/**
 * Runs `work` while nobody else, of this process or another, runs work under the same lock file.
 *
 * @param path the lock file; made where it is missing
 * @param ledger the file that it is for, in messages
 * @param patienceMs how long to wait for it, in milliseconds
 * @throws AppError `ledger_busy`, `ledger_lock`, `ledger_unwritable`, or what `work` throws
 */
export async function withLedgerLock<T>(
  path: string,
  ledger: string,
  work: () => Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const started = performance.now();
  let lock: Database.Database | null = null;
  while (lock === null) {
    try {
      lock = tryLock(path);
    } catch (error) {
      if (codeOf(error) === 'SQLITE_NOTADB') throw ledgerLockForeign(path);
      throw ledgerUnwritable(ledger, error);
    }
    if (lock === null) {
      if (performance.now() - started > patienceMs) throw ledgerBusy(ledger, patienceMs / 1000);
      await delay(randomInt(POLL_MS.least, POLL_MS.most));
    }
  }
  try {
    return await work();
  } finally {
    lock.close();
  }
}
