import { basename } from 'node:path';
import type { Flip } from '../../protocol/compare.ts';
import type { FlipDetail } from '../../protocol/compare-panel.ts';
import type { WireError } from '../../protocol/errors.ts';
import type { QueryResult } from '../../protocol/query.ts';
import type { OrderPolicy } from '../../protocol/score.ts';
import { compareSides } from '../../runtime/evals/item-detail.ts';
import { type SideRows, unrunSide } from './rows.ts';

/** The results of a flip's queries; null where there is no SQL. */
export interface FlipResults {
  a: QueryResult | null;
  b: QueryResult | null;
  gold: QueryResult;
}

/** A flip before its queries have run. */
export function unrunFlip(flip: Flip, db: string | null, problem: WireError | null): FlipDetail {
  return {
    id: flip.id,
    database: db === null ? null : { name: basename(db), path: db },
    problem,
    a: unrunSide(flip.a.sql),
    b: unrunSide(flip.b.sql),
    gold: unrunSide(flip.gold),
    difference: null,
  };
}

/**
 * A flip with its rows, which `rows` keeps. The gold's rows are marked against the answer that is wrong.
 * @param wrong which of both that is
 */
export function ranFlip(
  flip: Flip,
  db: string,
  results: FlipResults,
  { wrong, orderPolicy, rows }: { wrong: 'a' | 'b'; orderPolicy: OrderPolicy; rows: SideRows },
): FlipDetail {
  const compared = (pred: QueryResult | null) =>
    pred === null ? null : compareSides(flip.gold, results.gold, pred, orderPolicy);
  const both = { a: compared(results.a), b: compared(results.b) };
  const side = (which: 'a' | 'b') => {
    const [sql, result] = [flip[which].sql, results[which]];
    return sql === null || result === null ? unrunSide(sql) : rows.side(sql, result, both[which]?.marks?.pred ?? null);
  };
  return {
    ...unrunFlip(flip, db, null),
    a: side('a'),
    b: side('b'),
    gold: rows.side(flip.gold, results.gold, both[wrong]?.marks?.gold ?? null),
    difference: both[wrong]?.difference ?? null,
  };
}
