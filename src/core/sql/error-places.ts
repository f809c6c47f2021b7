import { parse } from 'sqlite3-parser';
import { nameOf, type SqlToken, tokensOf } from './tokens.ts';

/** A range of a SQL text that an error may be about. */
export interface Place {
  offset: number;
  length: number;
}

/** Where an error may stand, and how to find out which of the places it is. */
export interface Places {
  places: Place[];
  /** What to put in a place to see whether the error goes away; null: the parser itself found the place. */
  substitute: string | null;
}

const NOWHERE: Places = { places: [], substitute: null };

/** Beyond these the search costs more than it helps. */
const MAX_LENGTH = 200_000;
const MAX_PLACES = 24;

const IDENTIFIERS: { message: RegExp; substitute: string; isCall: boolean }[] = [
  { message: /^no such column: (.+)$/s, substitute: 'NULL', isCall: false },
  { message: /^ambiguous column name: (.+)$/s, substitute: 'NULL', isCall: false },
  { message: /^no such table: (.+)$/s, substitute: '(SELECT 1)', isCall: false },
  { message: /^no such function: (.+)$/s, substitute: 'json_array', isCall: true },
  { message: /^wrong number of arguments to function (.+)\(\)$/s, substitute: 'json_array', isCall: true },
  { message: /^misuse of aggregate(?: function)?:? (.+)\(\)$/s, substitute: 'json_array', isCall: true },
  { message: /^misuse of aliased aggregate (.+)$/s, substitute: 'NULL', isCall: false },
  { message: /^no such collation sequence: (.+)$/s, substitute: 'BINARY', isCall: false },
];

/**
 * The places in a SQL text that a message of SQLite may be about. SQLite tells the place of an error by name only; a
 * place is right where the parser stops with the very same message, or where putting something else there makes the
 * error go away, which is for the caller to try.
 */
export function placesOfError(sql: string, message: string): Places {
  if (sql.length > MAX_LENGTH) return NOWHERE;
  for (const { message: pattern, substitute, isCall } of IDENTIFIERS) {
    const subject = pattern.exec(message)?.[1];
    if (subject === undefined) continue;
    const places = occurrences(tokensOf(sql), subject.split('.'), isCall);
    return places.length > MAX_PLACES ? NOWHERE : { places, substitute };
  }
  return syntaxPlace(sql, message);
}

/** The place where the parser stops, if it says the same as SQLite. */
function syntaxPlace(sql: string, message: string): Places {
  const result = parse(sql);
  const first = result.status === 'error' ? result.errors[0] : undefined;
  if (first === undefined || first.message !== message) return NOWHERE;
  return { places: [{ offset: first.span.offset, length: first.span.length }], substitute: null };
}

/** Runs of tokens `a . b . c` that spell a dotted name. */
function occurrences(tokens: SqlToken[], names: string[], isCall: boolean): Place[] {
  const places: Place[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const first = tokens[index];
    const last = tokens[index + 2 * (names.length - 1)];
    if (!first || !last || !spells(tokens, index, names)) continue;
    const before = tokens[index - 1]?.kind;
    const after = tokens[index + 2 * names.length - 1]?.kind;
    const isWhole = before !== 'DOT' && after !== 'DOT' && before !== 'AS' && (after === 'LP') === isCall;
    if (isWhole) places.push({ offset: first.offset, length: last.end - first.offset });
  }
  return places;
}

function spells(tokens: SqlToken[], from: number, names: string[]): boolean {
  return names.every((name, index) => {
    const token = tokens[from + 2 * index];
    const isJoined = index === 0 || tokens[from + 2 * index - 1]?.kind === 'DOT';
    return token !== undefined && isJoined && nameOf(token) === name;
  });
}

/** The SQL with all places but one replaced; with all of them replaced where `kept` is null. */
export function substituted(sql: string, { places, substitute }: Places, kept: Place | null): string {
  let text = '';
  let at = 0;
  for (const place of places) {
    if (place === kept) continue;
    text += sql.slice(at, place.offset) + (substitute ?? '');
    at = place.offset + place.length;
  }
  return text + sql.slice(at);
}
