import { tokensOf } from '../sql/tokens.ts';
import { LineStarts } from './lines.ts';

const READERS = new Set(['SELECT', 'VALUES', 'WITH']);

/**
 * One query of a text that may hold several statements: the text with all others blanked, so that places stay what they
 * are. The query is the one on a line, else the last one that begins before it, else the first one.
 * @param line from 1; null: the first query is meant
 */
export function oneQuery(text: string, line: number | null): string {
  const starts = new LineStarts(text);
  const queries = statementsOf(text).filter(({ kind }) => READERS.has(kind));
  if (queries.length === 0) return text;
  const before = line === null ? [] : queries.filter(({ start }) => starts.placeOf(start).line <= line);
  const chosen = before.at(-1) ?? queries[0];
  if (chosen === undefined) return text;
  const blank = (piece: string) => piece.replaceAll(/[^\n]/g, ' ');
  return blank(text.slice(0, chosen.start)) + text.slice(chosen.start, chosen.end) + blank(text.slice(chosen.end));
}

interface Statement {
  /** Kind of its first token. */
  readonly kind: string;
  readonly start: number;
  /** Before its semicolon. */
  readonly end: number;
}

/** The last one reaches to the end of the text: what is no token is in it, and an error there is told with its place. */
function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let first: { kind: string; offset: number } | null = null;
  for (const token of tokensOf(text)) {
    if (token.kind !== 'SEMI') first ??= token;
    else if (first !== null) {
      statements.push({ kind: first.kind, start: first.offset, end: token.offset });
      first = null;
    }
  }
  if (first !== null) statements.push({ kind: first.kind, start: first.offset, end: text.length });
  return statements;
}
