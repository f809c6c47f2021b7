/**
 * Where a second statement starts, as an offset into `sql`; null where only white space, comments and semicolons follow.
 * @param from UTF-16 offset of the end of the first statement.
 */
export function statementTail(sql: string, from: number): number | null {
  let at = from;
  while (at < sql.length) {
    const next = skipTrivia(sql, at);
    if (next === at) return at;
    at = next;
  }
  return null;
}

/** The end of the white space, comment or semicolon at `at`; `at` itself where there is none. */
function skipTrivia(sql: string, at: number): number {
  const char = sql.charAt(at);
  // The white space of SQLite: tab, line feed, form feed, carriage return, space; a byte order mark counts too.
  if (';\t\n\f\r \uFEFF'.includes(char)) return at + 1;
  if (sql.startsWith('--', at)) {
    const end = sql.indexOf('\n', at);
    return end < 0 ? sql.length : end + 1;
  }
  if (sql.startsWith('/*', at)) {
    const end = sql.indexOf('*/', at + 2);
    return end < 0 ? sql.length : end + 2;
  }
  return at;
}
