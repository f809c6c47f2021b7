import type { Trace } from '../../../protocol/diagnose.ts';
import type { Finding } from '../../../protocol/diagnosis.ts';
import { quoteIdentifier } from '../../schema/identifiers.ts';
import type { Table } from '../../score/rows.ts';
import type { Expr, Query } from '../../sql/ast/query.ts';
import { textOf } from '../../sql/ast/source.ts';
import { callsIn, columnNamesIn, expressionsOf, tailExpressions } from '../../sql/ast/walk.ts';
import { positionAt } from '../../sql/position.ts';
import { tableOf } from '../../sql/scope/resolve.ts';
import type { Session } from '../divergence/session.ts';
import type { Names } from './side.ts';

/** Reasons to doubt the gold itself: ties where it cuts, numbers in text that it compares as text, no rows. */
export async function doubtsOfGold(
  session: Session,
  names: Names,
  query: Query,
  trace: Trace | null,
  result: Table,
  predRows: number,
): Promise<Finding[]> {
  const doubts: Finding[] = [];
  const doubt = (sentence: string, evidence: Finding['evidence'], confidence: number, place?: Expr) => {
    const span = place?.span;
    const goldRange = span === undefined ? null : positionAt(names.sql, span.offset, span.length);
    doubts.push({ class: 'gold_suspicious', sentence, range: null, goldRange, confidence, evidence });
  };
  const cut = trace?.stages.find(({ clause, ties }) => clause === 'LIMIT' && ties !== null);
  if (cut?.ties)
    doubt(
      `In the gold ${cut.ties.tied} rows are tied where LIMIT cuts, of which it keeps ${cut.ties.kept}: its result is arbitrary.`,
      { ...cut.ties },
      0.55,
    );
  if (result.rows.length === 0 && predRows > 0) doubt('The gold gives no rows.', {}, 0.45);
  const text = await textAsNumber(session, names, query);
  if (text !== null)
    doubt(
      `The gold compares ${text.column} as text, though it holds numbers: '9' comes after '10'.`,
      { column: text.column },
      0.5,
      text.node,
    );
  return doubts;
}

/** A text column of numbers that the query sorts by, compares by size or takes the extreme of. */
async function textAsNumber(
  session: Session,
  names: Names,
  query: Query,
): Promise<{ column: string; node: Expr } | null> {
  const compared = [
    ...(query.orderBy?.items ?? []).map(({ expression }) => expression.node),
    ...[...query.arms.flatMap(({ core }) => expressionsOf(core)), ...tailExpressions(query)].flatMap(({ node }) =>
      callsIn(node).filter(({ name }) => /^(?:min|max)$/i.test(name.name)),
    ),
  ];
  for (const node of compared)
    for (const column of node.type === 'Id' || node.type === 'QualifiedExpr' || node.type === 'FunctionCallExpr'
      ? columnNamesIn(node)
      : []) {
      const reference = names.resolution.reference(column);
      if (reference.kind !== 'column' || reference.source.relation.kind !== 'table') continue;
      const declared = reference.source.relation.table.columns.find(({ name }) => name === reference.column);
      const table = tableOf(reference.source.relation);
      if (declared?.kind !== 'text' || table === null) continue;
      if (await holdsNumbers(session, table, reference.column)) return { column: textOf(names.sql, column.span), node };
    }
  return null;
}

async function holdsNumbers(session: Session, table: string, column: string): Promise<boolean> {
  const name = quoteIdentifier(column);
  const isNumber = `${name} GLOB '[0-9]*' AND ${name} NOT GLOB '*[^0-9.]*'`;
  const sql = `SELECT count(*), sum(${isNumber}), count(DISTINCT length(CAST(${name} AS INTEGER)))
    FROM (SELECT ${name} FROM ${quoteIdentifier(table)} WHERE typeof(${name}) = 'text' LIMIT 5000)`;
  const [count = 0, numbers = 0, lengths = 0] = ((await session.rows(sql, 1))?.[0] ?? []).map(Number);
  return count > 1 && numbers / count > 0.9 && lengths > 1;
}
