import { AppError } from '../protocol/errors.ts';

// One function per error that a user is told about reading a schema or its values.

/** @param reason the sandbox's own words. */
export function schemaQueryFailed(db: string, code: string, reason: string): AppError {
  const message = `The schema of ${db} could not be read: ${reason} (${code}). Check the file with "PRAGMA integrity_check".`;
  return new AppError('schema_failed', message, { db, reason, sqlite: code });
}

export function schemaCancelled(db: string): AppError {
  return new AppError('cancelled', `Reading ${db} was cancelled.`, { db });
}

export function schemaTooLarge(db: string): AppError {
  return new AppError('schema_too_large', `The schema of ${db} is larger than 256 MiB, too large to be read.`, { db });
}

export function noSuchTable(db: string, table: string): AppError {
  const message = `${db} has no table or view "${table}". "sql-agent schema" lists them.`;
  return new AppError('no_such_table', message, { db, table });
}

/** @param reason SQLite's own words. */
export function countFailed(db: string, table: string, code: string, reason: string): AppError {
  const message = `The rows of "${table}" in ${db} could not be counted: ${reason} (${code}).`;
  return new AppError('count_failed', message, { db, table, reason, sqlite: code });
}
