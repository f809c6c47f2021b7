/**
 * What can hide `distinct` or `;`, or is one of them, in the order in which sqlparse tries: comments, names in brackets,
 * quotes (see `endOfQuoted`), words and parameters, the semicolon.
 */
const TOKENS =
  /--[^\r\n]*|\/\*[\s\S]*?\*\/|(?<![\p{L}\p{N}_\])])\[[^\]]+\]|["'`]|(?:[@#]|(?<![\p{L}\p{N}_])[$:])?[\p{L}\p{N}_][\p{L}\p{N}_$#]*|;/gu;

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

/**
 * The first statement of a text without its tokens `distinct`, also where they are names: what `remove_distinct` of
 * Spider's evaluation makes of it with the Python package sqlparse. Quoted texts and comments stay as they are.
 */
export function firstWithoutDistinct(sql: string): string {
  const tokens = new RegExp(TOKENS);
  let kept = '';
  let from = 0;
  for (let found = tokens.exec(sql); found !== null; found = tokens.exec(sql)) {
    const [token] = found;
    const end = found.index + token.length;
    if (token === ';') return kept + sql.slice(from, end);
    if (token === '"' || token === "'" || token === '`') tokens.lastIndex = endOfQuoted(sql, found.index) ?? end;
    if (token.toLowerCase() !== 'distinct') continue;
    kept += sql.slice(from, found.index);
    from = end;
  }
  return kept + sql.slice(from);
}
