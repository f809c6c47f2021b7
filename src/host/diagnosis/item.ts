import { isOrdered } from '../../core/score/order.ts';
import type { ItemRecord } from '../../protocol/eval.ts';
import type { QueryResult } from '../../protocol/query.ts';
import type { OrderPolicy } from '../../protocol/score.ts';
import type { ItemDetail } from '../../runtime/evals/item-detail.ts';
import { alignedView } from './aligned.ts';
import type { DiagnosisTask } from './session.ts';

/** Longest time of one query of a diagnosis, in milliseconds: it runs many. */
export const LONGEST_MS = 10_000;

/** Both results beside each other; null where one of the queries gave none. @param goldSql decides whether order counts */
export function rowsBeside(goldSql: string, gold: QueryResult, pred: QueryResult, orderPolicy: OrderPolicy) {
  if (gold.status !== 'ok' || pred.status !== 'ok') return null;
  return alignedView(gold, pred, { ordered: isOrdered(goldSql, orderPolicy) });
}

/** What is to be looked into of an item; null where its rows are right, or there is nothing to compare with. */
export function taskOfItem(
  { gold, sql }: Pick<ItemRecord, 'gold' | 'sql'>,
  db: string,
  detail: ItemDetail,
  { timeoutMs, orderPolicy }: { timeoutMs: number; orderPolicy: OrderPolicy },
): Omit<DiagnosisTask, 'canDebug'> | null {
  const { compared, pred } = detail;
  if (sql === null || pred === null || detail.gold.status !== 'ok') return null;
  const isSame =
    compared !== null && compared.marks === null && compared.difference.goldColumns === compared.difference.predColumns;
  if (isSame) return null;
  const rows = rowsBeside(gold, detail.gold, pred, orderPolicy);
  return { db, gold, pred: sql, timeoutMs: Math.min(timeoutMs, LONGEST_MS), rows };
}
