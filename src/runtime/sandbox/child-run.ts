import { purposeOf } from '../../core/sql/parse.ts';
import { statementTail } from '../../core/sql/tail.ts';
import { hasParameters } from '../../core/sql/tokens.ts';
import type { QueryResult } from '../../protocol/query.ts';
import { adviceFor } from './advice.ts';
import { type Connection, MAX_SQL_BYTES, type Prepared } from './child-database.ts';
import { isAboutFile, nodeCode, SQLITE, sqliteFailure } from './child-failure.ts';
import { flagInvalidText } from './child-invalid.ts';
import { positionOfError, positionOfRefusal } from './child-position.ts';
import { type Caps, type Collected, collect, originsOf, prepareExact } from './child-query.ts';
import { type Rejection, type RejectionCode, rejection } from './rejections.ts';
import { sqliteCodeName } from './sqlite-codes.ts';

const NOTHING: Omit<QueryResult, 'status'> = {
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

/** Longest SQL, in UTF-16 units, that is parsed to tell more about an error. */
const MAX_PARSED = 200_000;

/** What a statement came to; what is not here is as in `NOTHING`. */
type Outcome = Partial<QueryResult> & Pick<QueryResult, 'status'>;

const UNKNOWN_BYTES =
  'Some text shows � (U+FFFD). Whether it holds that character or bytes that are not valid text cannot be told, because ' +
  'the query gives other rows each time.';

const TOO_LONG = `The SQL is longer than ${MAX_SQL_BYTES / 2 ** 20} MiB. Shorten it, e.g. a list of values by a table that is in the database.`;

const UNBOUND = 'The query has parameters (?, :name, @name or $name), which have no values here and were read as NULL.';

/** Runs one statement. Errors of the statement are in the result; errors of the file are thrown as SQLite gave them. */
export function runStatement(connection: Connection, sql: string, caps: Caps): QueryResult {
  const started = performance.now();
  let outcome: Outcome;
  try {
    outcome = runGuarded(connection, sql, caps);
  } catch (error) {
    connection.forget(sql);
    const touched = connection.gate.touched();
    outcome = { ...outcomeOf(connection, sql, error), touched };
  }
  return { ...NOTHING, ...outcome, ms: performance.now() - started };
}

/** Runs a statement through the gate; once more where the gate may have refused what a virtual table's module needs. */
function runGuarded(connection: Connection, sql: string, caps: Caps): Outcome {
  connection.gate.reset();
  try {
    return runOnce(connection, sql, caps);
  } catch (error) {
    if (connection.gate.refusal === null || !connection.connectVirtualTables()) throw error;
    connection.forget(sql);
    connection.gate.reset();
    return runOnce(connection, sql, caps);
  }
}

function runOnce(connection: Connection, sql: string, caps: Caps): Outcome {
  const prepared = connection.recall(sql) ?? prepareGuarded(connection, sql);
  if ('status' in prepared) return prepared;
  const { events } = connection.gate;
  const collected = collect(prepared.statement, caps);
  if (connection.gate.events === events) {
    connection.remember(sql, prepared);
    return resultOf(connection, sql, prepared, collected, caps);
  }
  // SQLite compiled the statement anew, because the schema has changed; or a virtual table ran statements of its own.
  connection.forget(sql);
  connection.gate.reset();
  const fresh = prepareGuarded(connection, sql);
  if ('status' in fresh) return fresh;
  const width = collected.rows[0]?.length ?? fresh.names.length;
  return width === fresh.names.length
    ? resultOf(connection, sql, fresh, collected, caps)
    : runOnce(connection, sql, caps);
}

function resultOf(connection: Connection, sql: string, prepared: Prepared, found: Collected, caps: Caps): Outcome {
  const { rows, truncated, suspects } = found;
  const { names, origins, touched, notes } = prepared;
  const isTold = suspects.length === 0 || flagInvalidText(connection, sql, rows, suspects, caps);
  return {
    status: 'ok',
    columns: names,
    origins,
    rows,
    truncated,
    touched,
    notes: isTold ? notes : [...notes, UNKNOWN_BYTES],
  };
}

/** Prepares a statement that may run; tells why where it may not. */
function prepareGuarded(connection: Connection, sql: string): Prepared | Rejection {
  const nul = sql.indexOf('\0');
  if (nul >= 0) return rejection('nul', null, sql, { offset: nul, length: 1 });
  const statement = prepareExact(connection.database, sql);
  const tail = statementTail(sql, statement.sourceSQL.length);
  if (tail !== null) return rejection('second_statement', null, sql, { offset: tail, length: sql.length - tail });
  const { names, origins } = originsOf(statement);
  // What returns no columns is not a query: VACUUM, which the authorizer never hears of while it is prepared.
  if (names.length === 0) return refuse('write', null, sql);
  const notes = hasParameters(sql) ? [UNBOUND] : [];
  return { statement, names, origins, touched: connection.gate.touched(), notes };
}

function refuse(code: RejectionCode, subject: string | null, sql: string): Rejection {
  return rejection(code, subject, sql, positionOfRefusal(code, subject, sql));
}

function outcomeOf(connection: Connection, sql: string, error: unknown): Outcome {
  const { refusal } = connection.gate;
  if (refusal) return refuse(refusal.code, refusal.subject, sql);
  // node:sqlite has no code of its own for a text without a statement.
  if (nodeCode(error) === 'ERR_INVALID_ARG_VALUE') return rejection('empty', null, sql, null);
  if (error instanceof RangeError)
    return { status: 'oom', code: 'memory', message: adviceFor(SQLITE.NOMEM, error.message) };
  const failure = sqliteFailure(error);
  if (!failure || isAboutFile(failure)) throw error;
  if (failure.primary === SQLITE.TOOBIG && Buffer.byteLength(sql) > MAX_SQL_BYTES)
    return { status: 'error', code: sqliteCodeName(failure.extended), message: TOO_LONG };
  if (failure.primary === SQLITE.CORRUPT && !connection.canReadSchema()) throw error;
  const purpose = failure.primary === SQLITE.READONLY ? 'write' : sql.length > MAX_PARSED ? null : purposeOf(sql);
  // A statement that would not have passed is refused, whatever else is wrong with it.
  if (purpose === 'write' || purpose === 'transaction' || purpose === 'attach') return refuse(purpose, null, sql);
  return {
    status: failure.primary === SQLITE.NOMEM ? 'oom' : 'error',
    code: sqliteCodeName(failure.extended),
    message: adviceFor(failure.primary, failure.message),
    position: failure.primary === SQLITE.ERROR ? positionOfError(connection, sql, failure.message) : null,
  };
}
