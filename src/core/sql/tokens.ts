import { tokenize, tokenName } from 'sqlite3-parser';

/** A token of a SQL text, white space and comments left out. Offsets in UTF-16 units. */
export interface SqlToken {
  /** SQLite's name of the token's kind, e.g. `SELECT`, `ID`, `STRING`, `LP`. */
  kind: string;
  text: string;
  offset: number;
  end: number;
}

/** The tokens of a SQL text, up to the first that SQLite would not recognise. */
export function tokensOf(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const { type, text, span } of tokenize(sql)) {
    const kind = tokenName(type) ?? '';
    if (kind === 'ILLEGAL') break;
    tokens.push({ kind, text, offset: span.offset, end: span.offset + span.length });
  }
  return tokens;
}

const CLOSING: Record<string, string> = { '"': '"', '`': '`', '[': ']' };

/** The name that an identifier token stands for, quotes removed; null for a text literal. */
export function nameOf(token: SqlToken): string | null {
  const open = token.text.charAt(0);
  if (open === "'") return null;
  const close = CLOSING[open];
  if (close === undefined) return token.text;
  const inner = token.text.slice(1, -1);
  return open === '[' ? inner : inner.replaceAll(close + close, close);
}

/** SQLite compares names without regard to the case of ASCII letters. */
export function foldName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Whether a SQL text has parameters: `?`, `?1`, `:name`, `@name` or `$name`. */
export function hasParameters(sql: string): boolean {
  return /[?:@$]/.test(sql) && tokensOf(sql).some(({ kind }) => kind === 'VARIABLE');
}
