import type { Stats } from 'node:fs';
import { constants, type FileHandle, lstat, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../protocol/errors.ts';
import { makeFolderSync } from '../make-folder.ts';
import { ledgerLinkBroken, ledgerNotAFile, ledgerUnreadable, ledgerUnwritable } from './ledger-errors.ts';
import { isEnded } from './ledger-lines.ts';
import { type LedgerEnd, repairEnd } from './ledger-repair.ts';

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  return stats.isFIFO() ? 'a pipe' : 'a device or socket';
}

/** A ledger file that links lead to, where it is; null where there is no ledger yet. */
async function locate(path: string): Promise<string | null> {
  try {
    const real = await realpath(path);
    const stats = await stat(real);
    if (!stats.isFile()) throw ledgerNotAFile(path, kindOf(stats));
    return real;
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (!isMissing(error)) throw ledgerUnreadable(path, error);
    const link = await lstat(path).catch(() => null);
    if (link?.isSymbolicLink()) throw ledgerLinkBroken(path);
    return null;
  }
}

async function openToRead(path: string): Promise<FileHandle | null> {
  const real = await locate(path);
  if (real === null) return null;
  try {
    return await open(real, 'r');
  } catch (error) {
    throw ledgerUnreadable(path, error);
  }
}

async function readWhole(path: string): Promise<Buffer> {
  const file = await openToRead(path);
  try {
    return (await file?.readFile()) ?? Buffer.alloc(0);
  } catch (error) {
    throw ledgerUnreadable(path, error);
  } finally {
    await file?.close();
  }
}

/** A reader waits so long for the end of a line that is being written. */
const SETTLE_MS = 1000;

/**
 * The whole ledger; empty where there is none. Where its last line has no end, another process may be writing it: then it
 * is read again under the lock, if there is one.
 *
 * @throws AppError `ledger_unreadable`, `ledger_not_a_file`, `ledger_link_broken`
 */
export async function readSettled(path: string): Promise<Buffer> {
  const bytes = await readWhole(path);
  if (isEnded(bytes)) return bytes;
  const lock = lockOf(await realLedger(path));
  if (!(await stat(lock).catch(() => null))) return bytes;
  const { withLedgerLock } = await import('./ledger-lock.ts');
  return await withLedgerLock(lock, path, () => readWhole(path), SETTLE_MS).catch(() => bytes);
}

/** Some bytes of the ledger; fewer where it ends before. @throws AppError as `readSettled` */
export async function readPart(path: string, start: number, length: number): Promise<Buffer> {
  const file = await openToRead(path);
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = (await file?.read(bytes, 0, length, start)) ?? { bytesRead: 0 };
    return bytes.subarray(0, bytesRead);
  } catch (error) {
    throw ledgerUnreadable(path, error);
  } finally {
    await file?.close();
  }
}

/** Makes what was made in a folder outlive a loss of power. Windows has no such thing. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function makeFolder(folder: string): Promise<void> {
  if (await stat(folder).catch(() => null)) return;
  makeFolderSync(folder);
  await syncFolder(dirname(folder));
}

/** The file behind a ledger's path, so that all who come by different links use the same lock. */
export async function realLedger(path: string): Promise<string> {
  try {
    await makeFolder(dirname(path));
    return (await locate(path)) ?? join(await realpath(dirname(path)), basename(path));
  } catch (error) {
    throw error instanceof AppError ? error : ledgerUnwritable(path, error);
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, end: LedgerEnd): Promise<void> {
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, end.size + done);
      done += bytesWritten;
    }
    await file.sync();
  } catch (error) {
    // What the reader would call torn is taken back at once.
    await file.truncate(end.size).catch(() => undefined);
    throw error;
  }
}

/** The lock file of a ledger. @param real the file itself, no link */
export function lockOf(real: string): string {
  return `${real}.lock`;
}

/**
 * Writes one line behind the others, and returns when the disk has it. Only under the ledger's lock.
 *
 * @param real the file itself, no link
 * @param lineOf makes the line's text, without a line feed, from the hash of the line before
 * @returns what was repaired, a sentence each
 * @throws AppError `disk_full`, `ledger_unwritable`; the file is then as it was
 */
export async function appendLine(real: string, lineOf: (prev: string | null) => string, time: Date): Promise<string[]> {
  let file: FileHandle | undefined;
  try {
    file = await open(real, constants.O_RDWR | constants.O_CREAT);
    const { size } = await file.stat();
    const end = await repairEnd(file, real, size, time);
    await writeAll(file, Buffer.from(`${end.unended ? '\n' : ''}${lineOf(end.prev)}\n`), end);
    if (size === 0 || end.notes.length > 0) await syncFolder(dirname(real));
    return end.notes;
  } catch (error) {
    throw ledgerUnwritable(real, error);
  } finally {
    await file?.close();
  }
}
