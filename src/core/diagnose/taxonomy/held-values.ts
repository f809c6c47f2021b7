import { quoteIdentifier, quoteText } from '../../schema/identifiers.ts';
import type { Session } from '../divergence/session.ts';
import { askedInExpression } from '../hints/values.ts';
import type { Draft } from './finding.ts';
import type { Piece } from './pieces.ts';

/** Tells of two filters on one column how many rows hold the value that each asks for; other drafts stay as they are. */
export async function withHeldValues(session: Session, draft: Draft, gold?: Piece, pred?: Piece): Promise<Draft> {
  if (draft.class !== 'filter_case_or_space' && draft.class !== 'wrong_filter_value') return draft;
  const [one, other] = [gold, pred].map((piece) => {
    const asked = piece?.node ? askedInExpression(piece.node, piece.side.resolution) : [];
    return asked.length === 1 ? asked[0] : undefined;
  });
  if (one === undefined || other === undefined || one.table !== other.table || one.column !== other.column)
    return draft;
  const [name, from] = [quoteIdentifier(one.column), quoteIdentifier(one.table)];
  const counted = (value: string) => `(SELECT count(*) FROM ${from} WHERE ${name} = ${quoteText(value)})`;
  const row = (await session.rows(`SELECT ${counted(other.value)}, ${counted(one.value)}`, 1))?.[0];
  if (row === undefined) return draft;
  const [predRows = 0, goldRows = 0] = row.map(Number);
  const rows = (count: number) => (count === 1 ? '1 row of it holds' : `${count} rows of it hold`);
  const sentence = `The filter compares ${one.column} with ${quoteText(other.value)}; ${rows(predRows)} that, ${rows(goldRows).replace(' of it', '')} the gold's ${quoteText(one.value)}.`;
  return { ...draft, sentence, evidence: { ...draft.evidence, pred_rows: predRows, gold_rows: goldRows } };
}
