/** Comments, quoted names and strings, brackets and commas, line feeds, and runs of anything else. */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[(),]|\n|[^\s(),'"`[\-/]+|[^\s]/g;

/** Words that begin a constraint of the table where a column could stand. */
const CONSTRAINTS: ReadonlySet<string> = new Set(['constraint', 'primary', 'unique', 'check', 'foreign']);

/** The name that an identifier token stands for, quotes removed. */
function unquoted(token: string): string {
  const quote = token[0] ?? '';
  if (quote === '[') return token.slice(1, -1);
  if (!'"`\''.includes(quote)) return token;
  return token.slice(1, -1).replaceAll(quote + quote, quote);
}

function commentText(token: string): string {
  const inner = token.startsWith('--') ? token.slice(2) : token.slice(2).replace(/\*\/$/, '');
  return inner
    .replace(/^[\s*-]+/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function isComment(token: string): boolean {
  return token.startsWith('--') || token.startsWith('/*');
}

/**
 * What comments in a CREATE TABLE statement say of its columns: a comment counts for the column definition before it on
 * the same line, on either side of the comma. A comment on a line of its own counts for none.
 * @returns text by column name as the statement spells it
 */
export function columnComments(sql: string): Map<string, string> {
  const comments = new Map<string, string>();
  if (!sql.includes('--') && !sql.includes('/*')) return comments;
  let depth = 0;
  /** The definition that the last code of this line belongs to; null: none, or a constraint. */
  let column: string | null = null;
  let atStart = false;
  let lineHasCode = false;
  for (const [token] of sql.matchAll(TOKEN)) {
    if (isComment(token)) {
      const text = commentText(token);
      if (column !== null && lineHasCode && text !== '')
        comments.set(column, [comments.get(column), text].filter((part) => part !== undefined).join(' '));
      if (token.includes('\n')) lineHasCode = false;
    } else if (token === '\n') {
      lineHasCode = false;
    } else {
      if (atStart) {
        column = CONSTRAINTS.has(token.toLowerCase()) ? null : unquoted(token);
        atStart = false;
      }
      lineHasCode = true;
      if (token === '(') depth += 1;
      if (token === ')') depth -= 1;
      if (depth === 0) column = null;
      if (depth === 1 && (token === ',' || (token === '(' && column === null))) atStart = true;
    }
  }
  return comments;
}
