import { type SqlToken, tokensOf } from '../../sql/tokens.ts';

/** Tokens whose text has a meaning in its own case. */
const OWN_CASE: ReadonlySet<string> = new Set(['ID', 'STRING', 'INTEGER', 'FLOAT', 'BLOB', 'VARIABLE']);
const CALLED: ReadonlySet<string> = new Set(['ID', 'CAST', 'REPLACE']);
/** Behind these a sign belongs to the number that follows. */
const BEFORE_SIGN: ReadonlySet<string> = new Set(
  'LP COMMA EQ NE LT LE GT GE PLUS MINUS STAR SLASH REM CONCAT SELECT WHERE AND OR NOT BETWEEN LIMIT OFFSET THEN ELSE WHEN ON BY IN'.split(
    ' ',
  ),
);

/** Types of CAST, which SQLite's grammar knows as names. */
const TYPE = /^(?:real|integer|int|text|float|numeric|double|decimal|varchar|char|blob)$/i;

function written({ kind, text }: SqlToken, before: SqlToken | undefined, next: SqlToken | undefined): string {
  const isFunction = kind === 'ID' && next?.kind === 'LP' && /^\w+$/.test(text);
  const isType = before?.kind === 'AS' && TYPE.test(text);
  return isFunction || isType || !OWN_CASE.has(kind) ? text.toUpperCase() : text;
}

function isSign(token: SqlToken | undefined, before: SqlToken | undefined): boolean {
  const isPlusOrMinus = token?.kind === 'MINUS' || token?.kind === 'PLUS';
  return isPlusOrMinus && before !== undefined && BEFORE_SIGN.has(before.kind);
}

function isJoined(tokens: readonly SqlToken[], index: number): boolean {
  const [token, before] = [tokens[index], tokens[index - 1]];
  if (token === undefined || before === undefined) return true;
  if (['COMMA', 'DOT', 'RP', 'SEMI'].includes(token.kind) || ['DOT', 'LP'].includes(before.kind)) return true;
  return (token.kind === 'LP' && CALLED.has(before.kind)) || isSign(before, tokens[index - 2]);
}

/**
 * A query on one line in one style: keywords and functions in capitals, single spaces, none inside parentheses and behind
 * the name of a function. What it means stays; comments go.
 */
export function plainStyle(sql: string): string {
  const tokens = tokensOf(sql);
  return tokens
    .map(
      (token, index) => `${isJoined(tokens, index) ? '' : ' '}${written(token, tokens[index - 1], tokens[index + 1])}`,
    )
    .join('');
}
