import { quoteIdentifier } from '../../schema/identifiers.ts';
import type { Expr, Query } from '../../sql/ast/query.ts';
import { callsIn, columnNamesIn, expressionsOf } from '../../sql/ast/walk.ts';
import { tableOf } from '../../sql/scope/resolve.ts';
import type { Resolution } from '../../sql/scope/scope.ts';
import type { Session } from '../divergence/session.ts';

/** A text column by whose order a query goes though it holds numbers. */
export interface NumericText {
  readonly node: Expr;
  readonly table: string;
  readonly column: string;
}

/** Text columns of numbers that a query itself sorts by or takes min or max of: '9' comes after '10' there. */
export async function numericTexts(session: Session, names: Resolution, query: Query): Promise<NumericText[]> {
  const sorted = query.orderBy?.items.map(({ expression }) => expression.node) ?? [];
  const extremes = query.arms
    .flatMap(({ core }) => expressionsOf(core))
    .flatMap(({ node }) => callsIn(node).filter(({ name }) => /^(?:min|max)$/i.test(name.name)));
  const found: NumericText[] = [];
  for (const node of [...sorted, ...extremes]) {
    const column = textColumn(node, names);
    if (column === null || found.some((known) => known.table === column.table && known.column === column.column))
      continue;
    if (await holdsNumbers(session, column.table, column.column)) found.push({ node, ...column });
  }
  return found;
}

/** The text column that an expression is, or takes the extreme of. */
export function textColumn(node: Expr, names: Resolution): { table: string; column: string } | null {
  if (node.type !== 'Id' && node.type !== 'QualifiedExpr' && node.type !== 'FunctionCallExpr') return null;
  const [name, ...others] = columnNamesIn(node);
  const reference = name === undefined || others.length > 0 ? null : names.reference(name);
  if (reference?.kind !== 'column' || reference.source.relation.kind !== 'table') return null;
  const declared = reference.source.relation.table.columns.find((column) => column.name === reference.column);
  const table = tableOf(reference.source.relation);
  return declared?.kind !== 'text' || table === null ? null : { table, column: reference.column };
}

const SAMPLE = 5_000;

/** Whether nearly all texts of a column are numbers, of more than one length. */
export async function holdsNumbers(session: Session, table: string, column: string): Promise<boolean> {
  const name = quoteIdentifier(column);
  const isNumber = `${name} GLOB '[0-9]*' AND ${name} NOT GLOB '*[^0-9.]*'`;
  const sql = `SELECT count(*), sum(${isNumber}), count(DISTINCT length(CAST(${name} AS INTEGER)))
    FROM (SELECT ${name} FROM ${quoteIdentifier(table)} WHERE typeof(${name}) = 'text' LIMIT ${SAMPLE})`;
  const [count = 0, numbers = 0, lengths = 0] = ((await session.rows(sql, 1))?.[0] ?? []).map(Number);
  return count > 1 && numbers / count > 0.9 && lengths > 1;
}
