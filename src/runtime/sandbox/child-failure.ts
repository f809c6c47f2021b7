import type { SandboxRequest, SnapshotReason } from '../../protocol/sandbox-channel.ts';
import type { Plan } from './child-plan.ts';
import { checkWhole } from './database-file.ts';
import { databaseFailed, databaseLocked, notADatabase, schemaUnreadable } from './errors.ts';
import { primaryCode, sqliteCodeName } from './sqlite-codes.ts';

/** What node:sqlite throws for a result code of SQLite. */
export interface SqliteFailure {
  extended: number;
  primary: number;
  message: string;
}

/** Result codes of SQLite that the child acts on. */
export const SQLITE = {
  ERROR: 1,
  BUSY: 5,
  NOMEM: 7,
  READONLY: 8,
  CORRUPT: 11,
  CANTOPEN: 14,
  PROTOCOL: 15,
  TOOBIG: 18,
  NOTADB: 26,
  READONLY_ROLLBACK: 776,
} as const;

/** The failure of SQLite behind an error; null where it is none. */
export function sqliteFailure(error: unknown): SqliteFailure | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  return { extended: error.errcode, primary: primaryCode(error.errcode), message: error.message };
}

/** The code of an error of Node, e.g. `ERR_INVALID_ARG_VALUE`; null where it has none. */
export function nodeCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Whether a failure is about the file and not about the statement. Corruption is judged apart. */
export function isAboutFile({ primary, extended }: SqliteFailure): boolean {
  if (primary === SQLITE.READONLY) return extended !== SQLITE.READONLY;
  return [SQLITE.BUSY, SQLITE.CANTOPEN, SQLITE.PROTOCOL, SQLITE.NOTADB].some((code) => code === primary);
}

/** Why a copy could be read where the file itself could not; null where a copy would not help. */
export function snapshotReason(failure: SqliteFailure, plan: Plan): SnapshotReason | null {
  if (plan.mode === 'private') return null;
  if (failure.extended === SQLITE.READONLY_ROLLBACK) return 'hot_journal';
  const isRefused = failure.primary === SQLITE.READONLY || failure.primary === SQLITE.CANTOPEN;
  return isRefused && plan.closeAfter ? 'read_only_folder' : null;
}

/** The error that the user is told where SQLite cannot use the file. */
export function fileError(request: SandboxRequest, failure: SqliteFailure, plan: Plan): Error {
  const { db, busyMs } = request;
  switch (failure.primary) {
    case SQLITE.BUSY:
    case SQLITE.PROTOCOL:
      return databaseLocked(db, busyMs);
    case SQLITE.NOTADB:
      return notADatabase(db, 'a damaged or partly encrypted SQLite database');
    case SQLITE.CORRUPT:
      return checkWhole(db, plan) ?? schemaUnreadable(db, failure.message);
    default:
      return databaseFailed(db, sqliteCodeName(failure.extended), failure.message);
  }
}
