import type { Trace } from '../../../protocol/diagnose.ts';
import type { Finding } from '../../../protocol/diagnosis.ts';
import type { Table } from '../../score/rows.ts';
import type { Expr, Query } from '../../sql/ast/query.ts';
import { positionAt } from '../../sql/position.ts';
import type { Session } from '../divergence/session.ts';
import { numericTexts } from '../hints/numeric-text.ts';
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
  for (const { node, column } of await numericTexts(session, names.resolution, query))
    doubt(`The gold compares ${column} as text, though it holds numbers: '9' comes after '10'.`, { column }, 0.5, node);
  return doubts;
}
