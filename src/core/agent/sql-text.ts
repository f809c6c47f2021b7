const CLOSING: Record<string, string> = { "'": "'", '"': '"', '`': '`', '[': ']' };

/** Offset behind the quoted text, comment or single character at `at`. Text that is never closed runs to the end. */
function skip(text: string, at: number): number {
  const pair = text.slice(at, at + 2);
  if (pair === '--' || pair === '/*') {
    const close = pair === '--' ? '\n' : '*/';
    const end = text.indexOf(close, at + 2);
    return end < 0 ? text.length : end + close.length;
  }
  const close = CLOSING[text[at] ?? ''];
  if (close === undefined) return at + 1;
  const end = text.indexOf(close, at + 1);
  return end < 0 ? text.length : end + 1;
}

/**
 * The first statement of a text that begins with SQL: up to the first semicolon outside of quotes and comments, without
 * it. A doubled quote inside quotes reads as two quoted texts side by side, which ends at the same place.
 */
export function firstStatement(text: string): string {
  let at = 0;
  while (at < text.length && text[at] !== ';') at = skip(text, at);
  return text.slice(0, at).trim();
}

/** A statement without the semicolons and white space around it; what is inside stays as written. */
export function trimStatement(sql: string): string {
  return sql.trim().replace(/(?:\s*;)+$/, '');
}
