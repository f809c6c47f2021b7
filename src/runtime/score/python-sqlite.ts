import { statementTail } from '../../core/sql/tail.ts';
import { hasParameters, tokensOf } from '../../core/sql/tokens.ts';

/** Why a statement does not run although SQLite might take it: a stable code, and words for the user. */
export interface Refusal {
  code: 'parameters' | 'not_unicode' | 'second_semicolon';
  message: string;
}

/** Half of a character: matches no pair of surrogates. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Why no query of an answer can be made of a SQL text: it has parameters, for which there are no values, or is no text
 * in Unicode; null where nothing of the kind. Python's sqlite3 raises on both.
 */
export function unrunnable(sql: string): Refusal | null {
  if (LONE_SURROGATE.test(sql))
    return { code: 'not_unicode', message: 'The SQL holds half of a character (a lone surrogate), which is no text.' };
  if (hasParameters(sql))
    return { code: 'parameters', message: 'The SQL has parameters (?, :name, @name or $name), which have no values.' };
  return null;
}

/** Whether Python's sqlite3 takes a SQL text for more than one statement because a second semicolon ends it. */
export function hasSecondSemicolon(sql: string): boolean {
  // Most texts have one at most, and need no tokens. A pattern for what may stand between two would take time without end
  // on comments that have no second one behind them.
  if (sql.indexOf(';') === sql.lastIndexOf(';')) return false;
  const kinds = tokensOf(sql).map(({ kind }) => kind);
  const start = kinds.findIndex((kind) => kind !== 'SEMI');
  const end = kinds.indexOf('SEMI', start);
  return start >= 0 && end >= 0 && end + 1 < kinds.length;
}

/** Whether a SQL text holds white space, comments and semicolons only: for Python's sqlite3 a result without rows. */
export function isEmptySql(sql: string): boolean {
  return statementTail(sql, 0) === null;
}
