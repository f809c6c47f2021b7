import { type Place, placesOfError, substituted } from '../../core/sql/error-places.ts';
import { positionAt } from '../../core/sql/position.ts';
import { foldName, nameOf, type SqlToken, tokensOf } from '../../core/sql/tokens.ts';
import type { Position } from '../../protocol/query.ts';
import type { Connection } from './child-database.ts';
import type { RejectionCode } from './rejections.ts';

/**
 * The place of an error in the SQL, proven by the parser or by SQLite; null where it cannot be proven, e.g. because the
 * error lies in the body of a view. Of several equal errors it is the first.
 */
export function positionOfError(connection: Connection, sql: string, message: string): Position | null {
  const found = placesOfError(sql, message);
  const fails = (text: string) => connection.prepareError(text) === message;
  if (found.substitute !== null && fails(substituted(sql, found, null))) return null;
  const place = found.places.find((one) => found.substitute === null || fails(substituted(sql, found, one)));
  return place ? positionAt(sql, place.offset, place.length) : null;
}

/** Words that begin a statement that writes or steers, wherever they stand outside parentheses. */
const STARTERS: Partial<Record<RejectionCode, string[]>> = {
  write: ['INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'CREATE', 'DROP', 'ALTER', 'REINDEX', 'ANALYZE', 'VACUUM'],
  temp: ['CREATE', 'DROP', 'ALTER'],
  transaction: ['BEGIN', 'COMMIT', 'END', 'ROLLBACK', 'SAVEPOINT', 'RELEASE'],
  attach: ['ATTACH', 'DETACH'],
};

/** The place of what the gate refused: the statement's verb, the only pragma or the only call of the function; else null. */
export function positionOfRefusal(code: RejectionCode, subject: string | null, sql: string): Place | null {
  const tokens = tokensOf(sql);
  const starters = STARTERS[code];
  if (starters) return placeOf(firstOutside(tokens, starters));
  const wanted = foldName(subject ?? '');
  const called = tokens.filter((token, index) => {
    const name = foldName(nameOf(token) ?? '');
    if (code === 'pragma') return name === wanted || name === `pragma_${wanted}`;
    return code === 'function' && name === wanted && tokens[index + 1]?.kind === 'LP';
  });
  return called.length === 1 ? placeOf(called[0]) : null;
}

function firstOutside(tokens: SqlToken[], kinds: string[]): SqlToken | undefined {
  let depth = 0;
  return tokens.find(({ kind }) => {
    if (kind === 'LP') depth++;
    if (kind === 'RP') depth--;
    return depth === 0 && kinds.includes(kind);
  });
}

function placeOf(token: SqlToken | undefined): Place | null {
  return token ? { offset: token.offset, length: token.end - token.offset } : null;
}
