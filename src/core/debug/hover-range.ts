import { type SqlToken, tokensOf } from '../sql/tokens.ts';

/**
 * Where the expression at an offset begins and ends: a name with the alias before it, or a call of a function. null where
 * a keyword or nothing of the kind stands there.
 */
export function hoverRange(sql: string, offset: number): { offset: number; end: number } | null {
  const tokens = tokensOf(sql);
  const at = tokens.findIndex((token) => token.offset <= offset && token.end >= offset && isName(token));
  const token = tokens[at];
  if (token === undefined) return null;
  let [first, last] = [at, at];
  while (tokens[first - 1]?.kind === 'DOT' && isName(tokens[first - 2])) first -= 2;
  while (tokens[last + 1]?.kind === 'DOT' && isName(tokens[last + 2])) last += 2;
  if (tokens[last + 1]?.kind === 'LP') last = closing(tokens, last + 1) ?? last;
  return { offset: tokens[first]?.offset ?? token.offset, end: tokens[last]?.end ?? token.end };
}

function isName(token: SqlToken | undefined): boolean {
  return token?.kind === 'ID';
}

function closing(tokens: readonly SqlToken[], open: number): number | null {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (tokens[at]?.kind === 'LP') depth++;
    if (tokens[at]?.kind === 'RP' && --depth === 0) return at;
  }
  return null;
}
