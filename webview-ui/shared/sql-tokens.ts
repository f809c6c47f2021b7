/** A piece of SQL and what it is, for colours. */
export interface SqlToken {
  kind: 'keyword' | 'text' | 'number' | 'comment' | 'name' | 'function' | 'other';
  text: string;
}

const KEYWORDS = new Set(
  (
    'all and as asc between by case cast collate cross current_date current_time current_timestamp desc distinct else ' +
    'end escape except exists filter first following from full glob group groups having in indexed inner intersect is ' +
    'isnull join last left like limit match materialized natural not notnull null nulls offset on or order outer over ' +
    'partition preceding range recursive regexp right row rows select then ties unbounded union using values when ' +
    'where window with create table view virtual index trigger unique primary key foreign references default check ' +
    'constraint generated always stored without rowid strict if temp temporary autoincrement conflict replace ignore ' +
    'abort fail rollback update delete insert cascade restrict set action deferrable initially deferred'
  ).split(' '),
);

const PIECE = new RegExp(
  [
    '(?<comment>--[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$))',
    "(?<text>[xX]?'(?:[^']|'')*(?:'|$))",
    '(?<quoted>"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\\[[^\\]]*(?:\\]|$))',
    '(?<number>(?:0[xX][\\da-fA-F]+|(?:\\d[\\d_]*)?\\.?\\d[\\d_]*(?:[eE][+-]?\\d+)?))',
    '(?<word>[\\p{L}_$][\\p{L}\\p{N}_$]*)',
    '(?<other>\\s+|[\\s\\S])',
  ].join('|'),
  'gu',
);

/** Characters behind a word in which a bracket makes it a function. */
const LOOK_AHEAD = 8;

function wordKind(word: string, rest: string): SqlToken['kind'] {
  if (KEYWORDS.has(word.toLowerCase())) return 'keyword';
  return /^\s*\(/.test(rest) ? 'function' : 'name';
}

/** Characters that are coloured: each piece is an element of the page, and a query may have a megabyte. */
const MOST_COLOURED = 20_000;

/**
 * Splits SQL into coloured pieces. They join to the text as it was, whatever it is: this colours, it does not judge. What
 * stands behind the first 20,000 characters is one piece.
 */
export function sqlTokens(sql: string): SqlToken[] {
  const coloured = colouredTokens(sql.slice(0, MOST_COLOURED));
  return sql.length <= MOST_COLOURED ? coloured : [...coloured, { kind: 'other', text: sql.slice(MOST_COLOURED) }];
}

function colouredTokens(sql: string): SqlToken[] {
  return [...sql.matchAll(PIECE)].map((match): SqlToken => {
    const text = match[0];
    const { comment, text: literal, quoted, number, word } = match.groups ?? {};
    if (comment !== undefined) return { kind: 'comment', text };
    if (literal !== undefined) return { kind: 'text', text };
    if (quoted !== undefined) return { kind: 'name', text };
    if (number !== undefined) return { kind: 'number', text };
    const end = match.index + text.length;
    if (word !== undefined) return { kind: wordKind(word, sql.slice(end, end + LOOK_AHEAD)), text };
    return { kind: 'other', text };
  });
}
