import { displayWidth } from '../core/text/cells.ts';
import type { Position, QueryResult } from '../protocol/query.ts';
import type { Output } from './verb.ts';

/** Says why a query gave no rows, with the place in the SQL where it is known. */
export function printFailure(out: Output, sql: string, result: QueryResult): void {
  out.log(`sql-agent: ${result.status} (${result.code}): ${result.message}`);
  if (result.position) out.log(excerpt(sql, result.position));
}

const EXCERPT = 72;

/** The line of the SQL that a position lies in, with carets under it. */
export function excerpt(sql: string, { offset, length, line, column }: Position): string {
  const text = sql.split('\n')[line - 1]?.replaceAll('\t', ' ') ?? '';
  const from = Math.max(0, Math.min(column - 1 - EXCERPT / 2, text.length - EXCERPT));
  const shown = text.slice(from, from + EXCERPT);
  const before = displayWidth(text.slice(from, column - 1));
  const marked = sql.slice(offset, offset + length).split('\n')[0] ?? '';
  const carets = '^'.repeat(Math.max(1, Math.min(displayWidth(marked), EXCERPT - before)));
  const label = `  line ${line}: `;
  return `${label}${shown}\n${' '.repeat(label.length + before)}${carets}`;
}
