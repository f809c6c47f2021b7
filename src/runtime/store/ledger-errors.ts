import { dirname } from 'node:path';
import { AppError } from '../../protocol/errors.ts';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A folder, device or pipe in place of the ledger. @param what what it is, with its article */
export function ledgerNotAFile(path: string, what: string): AppError {
  return new AppError(
    'ledger_not_a_file',
    `The ledger ${path} is ${what} and not a file. Move it away, or name another folder with --results.`,
    { path },
  );
}

export function ledgerLinkBroken(path: string): AppError {
  return new AppError(
    'ledger_link_broken',
    `The ledger ${path} is a link to a file that is not there. Bring the file back (a disk that is not mounted?), or remove the link.`,
    { path },
  );
}

/** The ledger is there and cannot be read. */
export function ledgerUnreadable(path: string, cause: unknown): AppError {
  const reason = reasonOf(cause);
  return new AppError(
    'ledger_unreadable',
    `The ledger ${path} cannot be read (${reason}). Check the path and its permissions.`,
    { path, reason },
  );
}

/** What a failed write means: a full disk, or a place that takes no writing. Nothing of the line was left. */
export function ledgerUnwritable(path: string, cause: unknown): AppError {
  const code = codeOf(cause);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
    return new AppError(
      'disk_full',
      `The disk of ${dirname(path)} is too full for another line of the ledger. Nothing half-written was left; free some space and run the same command again.`,
      { path },
    );
  const reason = reasonOf(cause);
  return new AppError(
    'ledger_unwritable',
    `The ledger ${path} cannot be written (${reason}). Make its folder writable, or name another one with --results.`,
    { path, reason },
  );
}

export function ledgerBusy(path: string, seconds: number): AppError {
  return new AppError(
    'ledger_busy',
    `Another process has been writing the ledger ${path} for ${seconds} s. If one of them hangs, end it, then try again.`,
    { path, seconds },
  );
}

export function ledgerLockForeign(lock: string): AppError {
  return new AppError(
    'ledger_lock',
    `The lock file ${lock} is not one of this program. Remove it: it never holds anything.`,
    { lock },
  );
}

/** A line is not where it was found a moment ago. */
export function ledgerChanged(path: string): AppError {
  return new AppError('ledger_changed', `The ledger ${path} was changed while it was read. Try again.`, { path });
}

export function verifyCancelled(): AppError {
  return new AppError('cancelled', 'The check of the ledger was cancelled.');
}
