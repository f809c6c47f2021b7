import type { ExpectedShape } from '../../protocol/ask.ts';
import { extractSql, looksLikeSql, stripThinking } from './extract-sql.ts';
import { type LooseJson, readObject } from './lenient-json.ts';
import { parseShape } from './parse-shape.ts';
import { trimStatement } from './sql-text.ts';

/** One action of the model in the protocol `turns`. */
export type Action =
  | { type: 'inspect' | 'add_table'; tables: string[] }
  | { type: 'query'; sql: string; expected: ExpectedShape | null }
  /** `sql` null: the last query that ran. */
  | { type: 'final'; sql: string | null; expected: ExpectedShape | null }
  /** No action: `reason` is a sentence for the model. */
  | { type: 'invalid'; reason: string };

export interface ParsedReply {
  action: Action;
  /** True where the reply held further actions, which were not looked at. */
  more: boolean;
}

/** A brace that begins no action costs a try; a reply of thousands of them is not searched to its end. */
const MAX_TRIES = 200;
const MAX_TABLES = 8;

const ACTIONS: Record<string, Exclude<Action['type'], 'invalid'>> = {
  inspect: 'inspect',
  inspect_table: 'inspect',
  describe: 'inspect',
  describe_table: 'inspect',
  sample: 'inspect',
  add_table: 'add_table',
  add_tables: 'add_table',
  query: 'query',
  run: 'query',
  run_query: 'query',
  execute: 'query',
  execute_sql: 'query',
  sql: 'query',
  final: 'final',
  final_answer: 'final',
  answer: 'final',
  finish: 'final',
  submit: 'final',
};

type Fields = Record<string, LooseJson>;

function isFields(value: LooseJson | undefined): value is Fields {
  return value !== undefined && value !== null && typeof value === 'object' && !Array.isArray(value);
}

function textsOf(value: LooseJson | undefined): string[] {
  if (typeof value === 'string') return value.split(',').map((name) => name.trim());
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function sqlOf(fields: Fields): string | null {
  const sql = fields['sql'] ?? fields['query'] ?? fields['statement'];
  return typeof sql === 'string' && sql.trim() !== '' ? trimStatement(sql) : null;
}

/** Name and fields of an action in the form asked for, in that of a tool call, or in that of `{"query": "SELECT …"}`. */
function actionFields(value: Fields): { name: string; fields: Fields } | null {
  const named = value['action'] ?? value['tool'] ?? value['name'];
  const passed = value['arguments'] ?? value['args'] ?? value['action_input'] ?? value['input'];
  if (typeof named === 'string') return { name: named, fields: isFields(passed) ? passed : value };
  const key = Object.keys(value).find(
    (candidate) => Object.hasOwn(ACTIONS, candidate) && candidate !== 'sql' && candidate !== 'query',
  );
  const inner = key === undefined ? undefined : value[key];
  if (key !== undefined && isFields(inner)) return { name: key, fields: inner };
  if (key !== undefined && typeof inner === 'string')
    return { name: key, fields: { ...value, sql: inner, table: inner } };
  if (sqlOf(value) !== null) return { name: 'expected' in value ? 'final' : 'query', fields: value };
  return null;
}

function invalid(reason: string): Action {
  return { type: 'invalid', reason };
}

function actionOf({ name, fields }: { name: string; fields: Fields }): Action {
  const key = name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  const type = Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined;
  if (type === undefined) return invalid(`There is no action "${name.slice(0, 60)}".`);
  if (type === 'final') return { type, sql: sqlOf(fields), expected: parseShape(fields['expected']) };
  if (type === 'query') {
    const sql = sqlOf(fields);
    return sql === null
      ? invalid('The action "query" needs its "sql".')
      : { type, sql, expected: parseShape(fields['expected']) };
  }
  const tables = textsOf(fields['table'] ?? fields['tables'] ?? fields['table_name']).filter((table) => table !== '');
  return tables.length === 0
    ? invalid(`The action "${type}" needs the name of a table.`)
    : { type, tables: tables.slice(0, MAX_TABLES) };
}

function objectsOf(text: string): Fields[] {
  const found: Fields[] = [];
  let at = text.indexOf('{');
  for (let tries = 0; at >= 0 && tries < MAX_TRIES; tries += 1) {
    const read = readObject(text, at);
    if (read) found.push(read.value);
    at = text.indexOf('{', read ? read.end : at + 1);
  }
  return found;
}

function withoutAction(text: string, cut: boolean): ParsedReply {
  const bare = looksLikeSql(text) || text.includes('```') ? extractSql(text) : null;
  if (bare !== null && !cut) return { action: { type: 'query', sql: bare, expected: null }, more: false };
  if (cut)
    return { action: invalid('Your reply was cut because it was too long: give the JSON object alone.'), more: false };
  return { action: invalid(text === '' ? 'Your reply was empty.' : 'There is no action in your reply.'), more: false };
}

/**
 * Reads the action in a reply of the model. The first JSON object that names an action counts, wherever it stands; a
 * reply with SQL and no such object is a query. Text around it, thinking, and further actions are passed over.
 *
 * @param cut true where the reply was cut at the limit of tokens
 */
export function parseReply(reply: string, cut: boolean): ParsedReply {
  const text = stripThinking(reply);
  const actions = objectsOf(text).flatMap((value) => actionFields(value) ?? []);
  const [first] = actions;
  return first === undefined ? withoutAction(text, cut) : { action: actionOf(first), more: actions.length > 1 };
}
