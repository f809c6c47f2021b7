import { randomBytes } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { identityOf, isSameProcess } from '../../../src/runtime/trainer/process-identity.ts';
import { runLocked, runUnwritable } from './errors.ts';
import type { RunPaths } from './paths.ts';

/** Who holds a run directory. */
const Holder = z.object({ pid: z.int(), start: z.nullable(z.string()), host: z.string() });
type Holder = z.infer<typeof Holder>;

/** A heartbeat of another machine that is older than this, in milliseconds, has stopped. */
const SILENT_MS = 60_000;
/** Races over a lock that nobody holds end in a few tries. */
const MOST_TRIES = 40;
/** Between two tries while another process takes a lock over, in milliseconds. */
const TURN_MS = 10;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The text of a file; null where there is none. @throws the error of the file system */
async function readText(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
}

function parsed(text: string): Holder | null {
  try {
    return Holder.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Whether a holder is at work. Of another machine's only the heartbeat tells. */
async function isAtWork(holder: Holder, { status }: RunPaths): Promise<boolean> {
  if (holder.host === hostname()) return await isSameProcess(holder);
  const { mtimeMs } = await stat(status).catch(() => ({ mtimeMs: 0 }));
  return Date.now() - mtimeMs < SILENT_MS;
}

/** A lock file with its whole text appears at once: it is written aside and linked into place. @returns false: there is one */
async function place(path: string, text: string): Promise<boolean> {
  const aside = `${path}.${randomBytes(4).toString('hex')}.new`;
  try {
    await writeFile(aside, text, { flag: 'wx' });
    await link(aside, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // Some file systems have no links: there the file itself has to do.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error;
    return await writeFile(path, text, { flag: 'wx' }).then(
      () => true,
      (second: unknown) => {
        if (codeOf(second) === 'EEXIST') return false;
        throw second;
      },
    );
  } finally {
    await rm(aside, { force: true }).catch(() => undefined);
  }
}

/**
 * Takes a lock away that was read as `stale`. Only one process does so at a time, who holds a second lock for it: else two
 * could both find the old lock, and the slower one take away what the faster one has put in its place.
 * @param text of the process that takes it away
 */
async function removeStale(paths: RunPaths, stale: string, text: string): Promise<void> {
  const { lock } = paths;
  const second = `${lock}.taking-over`;
  if (!(await place(second, text))) {
    const found = await readText(second);
    const holder = found === null ? null : parsed(found);
    // One that was killed in this very moment has left it behind.
    if (found !== null && (holder === null || !(await isAtWork(holder, paths)))) await rm(second, { force: true });
    return await delay(TURN_MS);
  }
  try {
    if ((await readText(lock)) === stale) await rm(lock, { force: true });
  } finally {
    await rm(second, { force: true });
  }
}

/** A run directory that this process has taken. */
export interface RunLock {
  /** Whether the directory is still where it was and still this process's. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Takes a run directory for this process until `release`. A lock whose holder has ended is taken over.
 * @throws AppError `run_locked`, which says who holds it; `run_unwritable`, `disk_full`
 */
export async function lockRun(paths: RunPaths): Promise<RunLock> {
  const text = JSON.stringify({ ...(await identityOf(process.pid)), host: hostname() });
  const isHeld = async () => (await readFile(paths.lock, 'utf8').catch(() => '')) === text;
  const release = async () => {
    if (await isHeld()) await rm(paths.lock, { force: true });
  };
  let holder: Holder | null = null;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      if (await place(paths.lock, text)) return { isHeld, release };
      const found = await readText(paths.lock);
      if (found === null) continue;
      holder = parsed(found);
      if (holder !== null && (await isAtWork(holder, paths))) break;
      await removeStale(paths, found, text);
    } catch (error) {
      throw runUnwritable(paths.lock, error, 'Nothing was started.');
    }
  }
  const elsewhere = holder !== null && holder.host !== hostname() ? ` on ${holder.host}` : '';
  throw runLocked(paths.folder, holder === null ? 'another process' : `process ${holder.pid}${elsewhere}`);
}
