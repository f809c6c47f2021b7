import { AppError } from '../../protocol/errors.ts';
import type { QueryResult } from '../../protocol/query.ts';

/** Errors of the debugger that a user sees. */

export const unknownRequest = (command: string) =>
  new AppError('dap_unknown_request', `The debugger of SQL knows no request "${command}".`, { command });

export const badArguments = (command: string, reason: string) =>
  new AppError('dap_bad_arguments', `The request "${command}" cannot be understood: ${reason}.`, { command });

export const notLaunched = () =>
  new AppError('dap_not_launched', 'No query is being debugged yet. Send "launch" first, with "program" or "sql".');

export const isMoving = () =>
  new AppError('dap_running', 'The query is running. Pause it, or wait until it stops at a clause.');

export const noQueryGiven = () =>
  new AppError('dap_no_query', 'There is nothing to debug: give "program" (a .sql file), "sql", or "run" and "item".');

/** @param beside databases of which one may be meant */
export const noDatabaseGiven = (beside: readonly string[]) =>
  new AppError(
    'dap_no_database',
    `No database is named: give "database", the path of a SQLite file${beside.length === 0 ? '' : `, one of ${beside.slice(0, 5).join(', ')}`}.`,
    { beside },
  );

export const emptyQuery = (what: string) =>
  new AppError('dap_empty_query', `${what} is empty: its text holds no statement. Write a SELECT.`, { what });

export const unreadableFile = (path: string, reason: string) =>
  new AppError('dap_unreadable', `${path} cannot be read: ${reason}.`, { path });

export const notRunning = (what: string, place: string, message: string) =>
  new AppError('dap_sql_error', `${what} does not run${place}: ${message}`, { what });

export const untraceable = (what: string, message: string) =>
  new AppError('dap_untraceable', `${what} cannot be taken apart into clauses: ${message}`, { what });

export const noClauses = (what: string) =>
  new AppError('dap_no_clauses', `${what} has no clauses to step through.`, { what });

export const noSuchThread = (id: number) =>
  new AppError('dap_no_thread', `There is no thread ${id}: 1 is the query, 2 its gold where there is one.`, { id });

export const staleReference = () =>
  new AppError('dap_stale', 'That belongs to a clause that was left. Look again at the clause that is shown now.');

export const noSuchTarget = (id: number) =>
  new AppError('dap_no_target', `There is no target ${id} any more. Ask for the targets again.`, { id });

export const noSuchSource = (reference: number) =>
  new AppError('dap_no_source', `The debugger holds no text ${reference}.`, { reference });

/** A query over the rows of a step failed. */
export const stepQueryFailed = ({ status, message, code }: QueryResult) =>
  new AppError(status === 'cancelled' ? 'cancelled' : 'dap_query', message ?? status, { status, sqlite: code });

export const notTheProtocol = (what: string) =>
  new AppError('dap_input', `The input is not the Debug Adapter Protocol: ${what}. An editor starts this command.`, {
    what,
  });
