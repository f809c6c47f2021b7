import { parse } from 'sqlite3-parser';
import { buildQuery } from './build-query.ts';
import type { ParseFailure, Query } from './query.ts';
import { Source } from './source.ts';

/** A tree, or why there is none. */
export type Parsed =
  | { readonly query: Query; readonly failure: null }
  | { readonly query: null; readonly failure: ParseFailure };

/**
 * The tree of a text that holds one SELECT, VALUES or WITH (a semicolon may end it). Whether it is valid is for SQLite to
 * say: names are not looked up here, and the grammar knows a few words less than SQLite's does.
 */
export function parseQuery(sql: string): Parsed {
  try {
    return parseOnce(sql);
  } catch (error) {
    // The stack overflows at some thousand levels of nesting; SQLite stops at a thousand.
    if (error instanceof RangeError) return failed('too_deep', 'The query is nested too deeply to be looked into.');
    throw error;
  }
}

/** A mark of UTF-8 in front, which SQLite passes over, counts as white space. */
function parseOnce(text: string): Parsed {
  const sql = text.replace(/^\uFEFF/, ' ');
  const result = parse(sql);
  if (result.status !== 'ok') {
    const [first] = result.errors;
    const range = first === undefined ? null : { offset: first.span.offset, length: first.span.length };
    return { query: null, failure: { code: 'syntax', message: first?.message ?? 'syntax error', range } };
  }
  const [statement, second] = result.root.cmds;
  if (statement === undefined) return failed('empty', 'There is no statement in the text.');
  if (second !== undefined) return failed('several_statements', 'The text holds more than one statement.');
  if (statement.type !== 'SelectStmt') return failed('not_a_select', 'The statement is not a SELECT.');
  return { query: buildQuery(statement.body, new Source(sql)), failure: null };
}

function failed(code: ParseFailure['code'], message: string): Parsed {
  return { query: null, failure: { code, message, range: null } };
}

/** The tree of the SELECT inside a CREATE VIEW statement; ranges point into that statement's text. */
export function parseView(sql: string): Query | null {
  try {
    const result = parse(sql);
    const statement = result.status === 'ok' ? result.root.cmds[0] : undefined;
    return statement?.type === 'CreateViewStmt' ? buildQuery(statement.select, new Source(sql)) : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
