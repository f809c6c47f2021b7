import { joined } from '../diagnose/trace/block.ts';
import { tailOf } from '../diagnose/trace/clauses.ts';
import type { StagePlan } from '../diagnose/trace/plan.ts';
import { tokensOf } from '../sql/tokens.ts';

const READERS = new Set(['SELECT', 'VALUES', 'WITH']);

/** Whether a text is a query, and not an expression. */
export function isQuery(text: string): boolean {
  return READERS.has(tokensOf(text)[0]?.kind ?? '');
}

/**
 * A query over the rows of a stage, which it calls `rows`. The name may mean a table of the database inside the stage: the
 * two are kept apart.
 */
export function queryOverRows({ sql }: StagePlan, query: string): string {
  const step = unusedName(`${sql} ${query}`);
  return `WITH ${step} AS (${sql}) SELECT * FROM (WITH rows AS (SELECT * FROM ${step}) SELECT * FROM (
${withoutEnd(query)}
))`;
}

/** An expression over the rows of a stage: a value for each, in the column `value`; one value where it aggregates. */
export function valuesOverRows(stage: StagePlan, expression: string): string {
  return queryOverRows(stage, `SELECT (${withoutEnd(expression)}\n) AS value FROM rows`);
}

/**
 * An expression as it would be written in the query at that clause, with the query's own aliases: a value for each row or
 * group. null where the stage has no block, as after DISTINCT or a set operation.
 */
export function valuesInBlock({ parts, level }: StagePlan, expression: string): string | null {
  if (parts === null || level === 'result') return null;
  const items = `SELECT (${withoutEnd(expression)}\n) AS value`;
  return `${parts.with}${joined([items, tailOf({ ...parts, orderBy: '', limit: '' })])}`;
}

/**
 * A query that gives the different values of others with how often each stands, the most frequent first: value, count, how
 * many different ones there are, how many values in all.
 * @param most how many are listed
 */
export function tallySql(values: string, most: number): string {
  return `SELECT value, count(*), count(*) OVER (), sum(count(*)) OVER () FROM (${values})
GROUP BY value ORDER BY 2 DESC, 1 LIMIT ${most}`;
}

/** A query that gives a row where one of some values is true. */
export function holdsSql(values: string): string {
  return `SELECT 1 FROM (${values}) WHERE value LIMIT 1`;
}

/** A semicolon that ends a text. */
function withoutEnd(text: string): string {
  const tokens = tokensOf(text);
  const last = tokens.at(-1);
  return last?.kind === 'SEMI' ? withoutEnd(text.slice(0, last.offset)) : text;
}

function unusedName(text: string): string {
  const lower = text.toLowerCase();
  let count = 0;
  while (lower.includes(`step_${count}`)) count++;
  return `step_${count}`;
}

/** A piece of a log message: text as it is, or an expression in braces. */
export interface MessagePiece {
  readonly text: string;
  readonly isExpression: boolean;
}

/** The pieces of the message of a logpoint: `{count(*)} rows` has an expression and a text. */
export function messagePieces(message: string): MessagePiece[] {
  return message
    .split(/(\{[^{}]*\})/)
    .filter((text) => text !== '')
    .map((text) => {
      const isExpression = /^\{.*\S.*\}$/s.test(text);
      return { text: isExpression ? text.slice(1, -1) : text, isExpression };
    });
}
