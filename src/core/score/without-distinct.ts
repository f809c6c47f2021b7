/**
 * What can hide `distinct` or `;`, or is one of them, in the order in which sqlparse tries: comments, names in brackets,
 * quotes, words and parameters, the semicolon.
 */
const TOKENS =
  /--[^\r\n]*|\/\*|(?<![\p{L}\p{N}_\])])\[(?!\])|["'`]|(?:[@#]|(?<![\p{L}\p{N}_])[$:])?[\p{L}\p{N}_][\p{L}\p{N}_$#]*|;/gu;

/** What ends a token that has begun; what ends quotes is found by `endOfQuoted`. */
const CLOSERS: Record<string, string> = { '/*': '*/', '[': ']' };

const QUOTES = new Set(['"', "'", '`']);

/**
 * The end of the text that a quote at `start` opens, as sqlparse sees it: a doubled quote goes on, and in '' and "" a
 * quote behind a backslash too, which SQLite takes for the end. Where none is left to close it, the last quote passed over
 * closes it after all.
 *
 * @returns null where no quote follows
 */
function endOfQuoted(sql: string, start: number): number | null {
  const quote = sql.charAt(start);
  let passed: number | null = null;
  for (let at = start + 1; at < sql.length; at++) {
    const isDoubled = sql.charAt(at) === quote && sql.charAt(at + 1) === quote;
    const isEscaped = sql.charAt(at) === '\\' && sql.charAt(at + 1) === quote && quote !== '`';
    if (isDoubled) passed = at + 1;
    else if (isEscaped) passed = at + 2;
    else if (sql.charAt(at) === quote) return at + 1;
    if (isDoubled || isEscaped) at++;
  }
  return passed;
}

/** Finds where comments and names in brackets end; a closer that is not there is searched but once. */
class Closers {
  readonly #sql: string;
  readonly #absent = new Set<string>();

  constructor(sql: string) {
    this.#sql = sql;
  }

  /** The end of what `opener`, which stands before `from`, has begun; null where nothing closes it. */
  endOf(opener: string, from: number): number | null {
    const closer = CLOSERS[opener];
    if (closer === undefined || this.#absent.has(closer)) return null;
    const at = this.#sql.indexOf(closer, from);
    if (at >= 0) return at + closer.length;
    this.#absent.add(closer);
    return null;
  }
}

/**
 * The first statement of a text without its tokens `distinct`, also where they are names: what `remove_distinct` of
 * Spider's evaluation makes of it with the Python package sqlparse. Quoted texts and comments stay as they are.
 */
export function firstWithoutDistinct(sql: string): string {
  const tokens = new RegExp(TOKENS);
  const closers = new Closers(sql);
  let kept = '';
  let from = 0;
  for (let found = tokens.exec(sql); found !== null; found = tokens.exec(sql)) {
    const [token] = found;
    const end = found.index + token.length;
    if (token === ';') return kept + sql.slice(from, end);
    tokens.lastIndex = (QUOTES.has(token) ? endOfQuoted(sql, found.index) : closers.endOf(token, end)) ?? end;
    if (token.toLowerCase() !== 'distinct') continue;
    kept += sql.slice(from, found.index);
    from = end;
  }
  return kept + sql.slice(from);
}
