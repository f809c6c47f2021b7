import { statementTail } from '../../core/sql/tail.ts';
import type { QueryResult } from '../../protocol/query.ts';
import type { Connection, Prepared } from './child-database.ts';
import { isAboutFile, nodeCode, SQLITE, sqliteFailure } from './child-failure.ts';
import { type Caps, collect, originsOf, prepareExact } from './child-query.ts';
import { rejection } from './rejections.ts';
import { sqliteCodeName } from './sqlite-codes.ts';

type Outcome = Pick<QueryResult, 'status' | 'code' | 'message' | 'position'>;

/** Runs one statement. Errors of the statement are in the result; errors of the file are thrown as SQLite gave them. */
export function runStatement(connection: Connection, sql: string, caps: Caps): QueryResult {
  const started = performance.now();
  const result = emptyResult();
  connection.gate.reset();
  try {
    runGuarded(connection, sql, caps, result);
  } catch (error) {
    connection.forget(sql);
    Object.assign(result, outcomeOf(connection, sql, error), { touched: connection.gate.touched() });
  }
  result.ms = performance.now() - started;
  return result;
}

/** Runs a statement through the gate; once more where the gate may have refused what a virtual table's module needs. */
function runGuarded(connection: Connection, sql: string, caps: Caps, result: QueryResult): void {
  try {
    runOnce(connection, sql, caps, result);
  } catch (error) {
    if (connection.gate.refusal === null || !connection.connectVirtualTables()) throw error;
    connection.forget(sql);
    connection.gate.reset();
    runOnce(connection, sql, caps, result);
  }
}

function runOnce(connection: Connection, sql: string, caps: Caps, result: QueryResult): void {
  const prepared = connection.recall(sql) ?? prepareGuarded(connection, sql, result);
  if (!prepared) return;
  const { rows, truncated } = collect(prepared.statement, caps);
  Object.assign(result, { status: 'ok', code: null, columns: prepared.names, origins: prepared.origins });
  Object.assign(result, { rows, truncated, touched: prepared.touched });
}

function emptyResult(): QueryResult {
  return {
    status: 'error',
    code: null,
    message: null,
    position: null,
    columns: [],
    origins: [],
    rows: [],
    truncated: false,
    ms: 0,
    touched: [],
    notes: [],
  };
}

/** Prepares a statement that may run; fills `result` with the reason and returns null where it may not. */
function prepareGuarded(connection: Connection, sql: string, result: QueryResult): Prepared | null {
  const nul = sql.indexOf('\0');
  if (nul >= 0) {
    Object.assign(result, rejection('nul', null, sql, nul));
    return null;
  }
  const statement = prepareExact(connection.database, sql);
  const tail = statementTail(sql, statement.sourceSQL.length);
  if (tail !== null) {
    Object.assign(result, rejection('second_statement', null, sql, tail));
    return null;
  }
  const { names, origins } = originsOf(statement);
  // What returns no columns is not a query: VACUUM, which the authorizer never hears of while it is prepared.
  if (names.length === 0) {
    Object.assign(result, rejection('write', null, sql, null));
    return null;
  }
  const prepared = { statement, names, origins, touched: connection.gate.touched() };
  connection.remember(sql, prepared);
  return prepared;
}

function outcomeOf(connection: Connection, sql: string, error: unknown): Outcome {
  const { refusal } = connection.gate;
  if (refusal) return rejection(refusal.code, refusal.subject, sql, null);
  // node:sqlite has no code of its own for a text without a statement.
  if (nodeCode(error) === 'ERR_INVALID_ARG_VALUE') return rejection('empty', null, sql, null);
  const failure = sqliteFailure(error);
  if (!failure || isAboutFile(failure)) throw error;
  if (failure.primary === SQLITE.CORRUPT && !connection.canReadSchema()) throw error;
  if (failure.primary === SQLITE.READONLY) return rejection('write', null, sql, null);
  const code = sqliteCodeName(failure.extended);
  const status = failure.primary === SQLITE.NOMEM ? 'oom' : 'error';
  return { status, code, message: failure.message, position: null };
}
