import { AppError } from '../../protocol/errors.ts';
import type { QueryResult } from '../../protocol/query.ts';

/** Errors of the database editor that a user sees. */

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;

/** Rows that could not be read. @param ms the time that the query was given. */
export function rowsUnreadable(table: string, result: QueryResult, ms: number): AppError {
  const data = { table, status: result.status, sqlite: result.code };
  switch (result.status) {
    case 'cancelled':
      return new AppError('cancelled', `Reading "${table}" was stopped.`, data);
    case 'timeout':
      return new AppError(
        'rows_timeout',
        `Reading "${table}" took longer than ${seconds(ms)} and was stopped. Raise "sqlAgent.query.timeoutSeconds" to wait longer.`,
        data,
      );
    case 'oom':
      return new AppError('rows_memory', `Reading "${table}" needs more memory than a query is given.`, data);
    default:
      return new AppError('rows_failed', `"${table}" cannot be read: ${result.message ?? result.status}.`, data);
  }
}
