import type { Place } from '../../core/sql/error-places.ts';
import { positionAt } from '../../core/sql/position.ts';
import type { Position } from '../../protocol/query.ts';

/** Stable codes of a statement that the sandbox does not run. */
export type RejectionCode =
  | 'empty'
  | 'nul'
  | 'second_statement'
  | 'write'
  | 'temp'
  | 'transaction'
  | 'attach'
  | 'pragma'
  | 'function'
  | 'denied';

const ADVICE = 'Only one statement that reads is run: SELECT, VALUES, WITH, EXPLAIN or a reading PRAGMA.';

const MESSAGES: Record<RejectionCode, (subject: string) => string> = {
  empty: () => 'There is no SQL statement here: the text is empty or holds only comments.',
  nul: () => 'The SQL holds a NUL character, which would hide all behind it from SQLite. Remove it.',
  second_statement: () => 'More than one statement was given. Run them one by one.',
  write: (subject) =>
    `The statement would change ${subject || 'the database'}; the database is read-only here. ${ADVICE}`,
  temp: () => `Temporary tables, views and triggers are not made here. ${ADVICE} Use WITH in place of them.`,
  transaction: () => `Transactions are not controlled here: each query is a transaction of its own. ${ADVICE}`,
  attach: () => `Other database files are not attached here: a query reads the opened file alone. ${ADVICE}`,
  pragma: (subject) => `PRAGMA ${subject} is not among the reading pragmas that may run here, or not with an argument.`,
  function: (subject) => `The function ${subject}() is not run here: it reaches outside the database or changes it.`,
  denied: (subject) => `The statement was refused${subject ? ` (${subject})` : ''}. ${ADVICE}`,
};

export interface Rejection {
  status: 'rejected';
  code: RejectionCode;
  message: string;
  position: Position | null;
}

/**
 * The outcome of a statement that is not run.
 * @param subject the table, pragma or function it asked for; null when unknown.
 * @param place where in the SQL the reason stands; null when unknown.
 */
export function rejection(code: RejectionCode, subject: string | null, sql: string, place: Place | null): Rejection {
  const position = place === null ? null : positionAt(sql, place.offset, place.length);
  return { status: 'rejected', code, message: MESSAGES[code](subject ?? ''), position };
}
