import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../alive.ts';
import { cancelled } from './errors.ts';
import { errorCode, storageError } from './storage.ts';

/** A holder touches its lock file this often, in milliseconds. */
const TOUCH_MS = 2000;
/** A lock file untouched for this long belongs to nobody: its holder was killed or its machine is gone. */
const STALE_MS = 20_000;
const POLL_MS = 50;

async function isStale(path: string): Promise<boolean> {
  try {
    const pid = Number(await readFile(path, 'utf8'));
    const { mtimeMs } = await stat(path);
    const age = Date.now() - mtimeMs;
    // A file just made may not hold its process id yet.
    return age > STALE_MS || (Number.isInteger(pid) && pid > 0 && !isAlive(pid));
  } catch {
    return false;
  }
}

async function tryLock(path: string, unwritable: LockOptions['unwritable']): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw unwritable?.(error) ?? storageError(dirname(path), 4096, error);
    if (await isStale(path)) await rm(path, { force: true });
    return false;
  }
}

export interface LockOptions {
  /** What to do while another process holds the lock: wait, or throw what this makes. */
  busy?: () => Error;
  signal?: AbortSignal | undefined;
  /** What to throw where the lock file cannot be made. Default: what it means for the storage folder. */
  unwritable?: (cause: unknown) => Error;
}

/**
 * Runs `work` while no other process runs work under the same lock file. Work must stay harmless where two run at once
 * after all (a holder suspended for long): files are made under names of their own and renamed.
 * @throws AppError `cancelled`, `storage_unwritable`, what `busy` makes, or what `work` throws.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  for (let tries = 0; !(await tryLock(path, options.unwritable)); tries += 1) {
    if (options.signal?.aborted) throw cancelled('Waiting for another process');
    // One more try after a stale lock was removed.
    if (tries > 0 && options.busy) throw options.busy();
    await delay(POLL_MS);
  }
  const touch = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, TOUCH_MS);
  touch.unref();
  try {
    return await work();
  } finally {
    clearInterval(touch);
    await rm(path, { force: true });
  }
}
