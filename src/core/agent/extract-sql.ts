import { firstStatement } from './sql-text.ts';

/** A fenced block of a reply. A block that is never closed runs to the end. */
interface Fence {
  language: string;
  body: string;
}

const FENCE = /```[ \t]*([\w+-]*)[^\S\n]*\n?([\s\S]*?)(?:```|$)/g;
/** WITH, where a common table expression follows: prose says "with" too. */
const WITH = String.raw`with\s+(?:recursive\s+)?["\x60[\w]+\]?\s*(?:\([^()]*\)\s*)?as\s*(?:(?:not\s+)?materialized\s*)?\(`;
const OTHERS = 'select|values|explain|pragma|insert|update|delete|replace|create|drop|alter|attach|vacuum';
const STATEMENT = new RegExp(String.raw`^\(*\s*(?:(?:${OTHERS})\b|${WITH})`, 'i');
const QUERY_IN_PROSE = new RegExp(String.raw`\bselect\b|\b${WITH}`, 'i');
/** A paragraph of prose ends a bare statement; a line that goes on with SQL does not. */
const PROSE_PARAGRAPH =
  /\n\s*\n\s*(?!(?:from|where|group|order|having|limit|union|intersect|except|join|left|inner|cross|on|and|or|select|with|values|window|case|when|else|end|offset)\b|[(),'"`[*+\-/|<>=;\d])/i;

/** What a model says to itself, and end marks of chat templates that a server let through. */
export function stripThinking(reply: string): string {
  const text = reply
    .replaceAll(/<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/gi, '')
    .replace(/^[\s\S]*<\/think(?:ing)?>/i, '');
  return text
    .replace(/<think(?:ing)?>[\s\S]*$/i, '')
    .replace(/(?:<\|im_end\|>|<\|endoftext\|>|<\|eot_id\|>|<\/s>)[\s\S]*$/, '')
    .trim();
}

function fencesOf(text: string): Fence[] {
  return [...text.matchAll(FENCE)].map((match) => ({
    language: (match[1] ?? '').toLowerCase(),
    body: (match[2] ?? '').trim(),
  }));
}

function withoutComments(sql: string): string {
  return sql.replace(/^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, '');
}

/** True where a text begins like a statement; comments before it do not matter. */
export function looksLikeSql(text: string): boolean {
  return STATEMENT.test(withoutComments(text));
}

/** The query in the first fence that holds one. Later ones are drafts of alternatives that nobody asked for. */
function fencedSql(reply: string): string | null {
  const fence = fencesOf(reply).find(({ body }) => looksLikeSql(body));
  return fence ? firstStatement(fence.body) : null;
}

function bareSql(text: string): string | null {
  const plain = text.replace(/^(?:sql(?:ite)?(?: query)?|query|answer)\s*:\s*/i, '');
  const start = looksLikeSql(plain) ? 0 : QUERY_IN_PROSE.exec(plain)?.index;
  if (start === undefined) return null;
  const rest = plain.slice(start);
  if (plain[start - 1] === '`') return firstStatement(rest.slice(0, Math.max(rest.indexOf('`'), 0) || rest.length));
  const paragraph = PROSE_PARAGRAPH.exec(rest);
  return firstStatement(paragraph ? rest.slice(0, paragraph.index) : rest);
}

/**
 * The statement in a reply that should be SQL alone: from a fence where there is one, else the reply itself without the
 * prose around it. Only the first statement is taken. It may be any statement, also one that the sandbox will refuse.
 *
 * @returns null where the reply holds no SQL
 */
export function extractSql(reply: string): string | null {
  const text = stripThinking(reply);
  const sql = fencedSql(text) ?? bareSql(text);
  return sql === null || sql === '' ? null : sql;
}
