import { AppError } from '../../protocol/errors.ts';

// One function per error that a user is told about a database file or the sandbox itself.

export function databaseMissing(db: string): AppError {
  return new AppError('db_missing', `There is no file ${db}. Check the path; a database is never created.`, { db });
}

export function databaseIsFolder(db: string): AppError {
  return new AppError('db_folder', `${db} is a folder. Name the database file inside it.`, { db });
}

export function databaseNotAFile(db: string): AppError {
  return new AppError('db_not_a_file', `${db} is a device, pipe or socket, not a file. Name a database file.`, { db });
}

export function databaseUnreadable(db: string, reason: string): AppError {
  const message = `${db} cannot be read (${reason}). Check the permissions of the file and of the folders above it.`;
  return new AppError('db_unreadable', message, { db, reason });
}

/** @param path of the `-wal`, `-shm` or `-journal` beside the database. */
export function companionNotAFile(db: string, path: string): AppError {
  const message = `${db} is not read, because ${path} beside it is a link, folder or device, not a file of SQLite. Remove it if nothing needs it.`;
  return new AppError('db_companion', message, { db, path });
}

export function databaseEmpty(db: string): AppError {
  const message = `${db} is empty (0 bytes), so it holds no database. Was a copy or download interrupted?`;
  return new AppError('db_empty', message, { db });
}

/** @param kind what the file seems to be, e.g. "a zip archive"; null when unknown. */
export function notADatabase(db: string, kind: string | null): AppError {
  const guess = kind === null ? '' : ` It looks like ${kind}.`;
  return new AppError('db_not_sqlite', `${db} is not a SQLite 3 database.${guess} Open a file made by SQLite.`, {
    db,
    kind,
  });
}

export function databaseEncrypted(db: string): AppError {
  const message =
    `${db} is not a plain SQLite database and may be encrypted (its first bytes look random). ` +
    'Export it without encryption with the tool that made it.';
  return new AppError('db_encrypted', message, { db });
}

/** @param expected size in bytes that the header states. */
export function databaseTruncated(db: string, size: number, expected: number | null): AppError {
  const stated = expected === null ? 'less than its header' : `${size} of ${expected} bytes`;
  const message = `${db} is truncated: ${stated} are there. Copy or download it again, or restore a backup.`;
  return new AppError('db_truncated', message, { db, size, expected });
}

export function databaseLocked(db: string, waitedMs: number): AppError {
  const message = `${db} is locked by another program (waited ${waitedMs} ms). Finish its write or close it, then try again.`;
  return new AppError('db_locked', message, { db, waitedMs });
}

/** @param reason SQLite's own words. */
export function schemaUnreadable(db: string, reason: string): AppError {
  const message = `The schema of ${db} cannot be read: ${reason}. Nothing can be asked until it is repaired; try "sqlite3 FILE .recover".`;
  return new AppError('db_schema', message, { db, reason });
}

/** SQLite could not open or read the file for a reason without a function of its own. */
export function databaseFailed(db: string, code: string, reason: string): AppError {
  return new AppError('db_failed', `${db} cannot be opened: ${reason} (${code}).`, { db, sqlite: code, reason });
}

export function sandboxClosed(): AppError {
  return new AppError('sandbox_closed', 'The query was not run: its sandbox has been closed.');
}

export function sandboxDoesNotStart(reason: string): AppError {
  const message = `The process that runs queries does not start (${reason}). "sql-agent doctor" checks this machine.`;
  return new AppError('sandbox_start', message, { reason });
}

export function databaseChanging(db: string): AppError {
  const message = `${db} is being written all the time, so that no whole copy of it can be read. Pause the writer and try again.`;
  return new AppError('db_changing', message, { db });
}

export function snapshotFailed(db: string, reason: string): AppError {
  const message = `${db} can be read from a copy only, and the copy could not be made: ${reason}. Free space in the temporary folder.`;
  return new AppError('db_snapshot', message, { db, reason });
}

export function superJournal(db: string): AppError {
  const message =
    `${db} was left in the middle of a write to several databases at once, which is not undone here because it involves ` +
    'other files. Open it once with the program that wrote it.';
  return new AppError('db_super_journal', message, { db });
}
