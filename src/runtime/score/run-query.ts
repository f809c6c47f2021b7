import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { hasUnreadableText } from '../../core/score/official-ex.ts';
import { AppError } from '../../protocol/errors.ts';
import type { QueryResult } from '../../protocol/query.ts';
import { unrunnable } from './python-sqlite.ts';

/**
 * Rows of a result that are held at most, and bytes of all of them, and of one value. A large result takes up to a
 * gigabyte of memory, so that only one pair at a time should have one.
 */
export const LIMITS = {
  usual: { maxRows: 50_000, maxBytes: 8 * 2 ** 20, maxCellBytes: 8 * 2 ** 20 },
  large: { maxRows: 1_000_000, maxBytes: 128 * 2 ** 20, maxCellBytes: 64 * 2 ** 20 },
};
export type Size = keyof typeof LIMITS;

/** A statement that was run, as far as scoring asks. */
export interface Ran
  extends Pick<QueryResult, 'status' | 'code' | 'message' | 'columns' | 'rows' | 'truncated' | 'ms' | 'touched'> {
  /** Some text of the rows is not UTF-8: Python's sqlite3 raises on it. */
  unreadable: boolean;
}

/** How a statement is run for scoring. */
export interface RunOptions {
  db: string;
  sql: string;
  timeoutMs: number;
  /** Default usual. */
  size?: Size;
  /** Rows that repeat an earlier one are left out. */
  distinct?: boolean;
}

/** A statement that came to nothing. */
export function failed(status: Ran['status'], code: string, message: string, ms = 0): Ran {
  return { status, code, message, columns: [], rows: [], truncated: false, ms, touched: [], unreadable: false };
}

/**
 * Runs a statement with the limits of scoring. A database that is missing or broken comes as a status `error` with its
 * code `db_…`.
 * @throws AppError where the sandbox itself is the matter
 */
export async function runQuery(sandbox: Sandbox, options: RunOptions, signal?: CancelSignal): Promise<Ran> {
  const refusal = unrunnable(options.sql);
  if (refusal !== null) return failed('error', refusal.code, refusal.message);
  try {
    const { size = 'usual', ...request } = options;
    const result = await sandbox.query({ ...request, ...LIMITS[size] }, signal);
    const { status, code, message, columns, rows, truncated, ms, touched } = result;
    return { status, code, message, columns, rows, truncated, ms, touched, unreadable: hasUnreadableText(rows) };
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('db_')) return failed('error', error.code, error.message);
    throw error;
  }
}
