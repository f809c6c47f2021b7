import { markRows, type RowMarks } from '../../core/evals/row-marks.ts';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { isOrdered } from '../../core/score/order.ts';
import type { ItemRecord } from '../../protocol/eval.ts';
import type { QueryResult } from '../../protocol/query.ts';
import type { SideDifference } from '../../protocol/result-side.ts';
import type { OrderPolicy } from '../../protocol/score.ts';

/** Most rows and bytes that are kept of a result that is shown. */
const MOST_ROWS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

export interface DetailOptions {
  /** Limit of each query in milliseconds. */
  timeoutMs: number;
  orderPolicy: OrderPolicy;
  signal?: CancelSignal;
}

/** The rows of two results, each with how it differs from the other; `marks` is null where no row does. */
export interface ComparedSides {
  marks: RowMarks | null;
  difference: SideDifference;
}

/** Both results of an item, by running its queries again. `compared` is null where one of them gave no rows. */
export interface ItemDetail {
  gold: QueryResult;
  /** null: the item has no SQL. */
  pred: QueryResult | null;
  compared: ComparedSides | null;
}

/**
 * Runs one query of an item to be looked at, read-only.
 * @param db absolute path
 * @throws AppError where the database file itself is the matter
 */
export function runSide(
  sandbox: Sandbox,
  db: string,
  sql: string,
  { timeoutMs, signal }: DetailOptions,
): Promise<QueryResult> {
  return sandbox.query({ db, sql, timeoutMs, maxRows: MOST_ROWS, maxBytes: MOST_BYTES }, signal);
}

/** How two results differ; null where one of them has none. @param goldSql decides whether the order of rows counts */
export function compareSides(
  goldSql: string,
  gold: QueryResult,
  pred: QueryResult,
  orderPolicy: OrderPolicy,
): ComparedSides | null {
  if (gold.status !== 'ok' || pred.status !== 'ok') return null;
  const ordered = isOrdered(goldSql, orderPolicy);
  const { marks, difference } = markRows(gold, pred, { ordered, partial: gold.truncated || pred.truncated });
  const differs = [...marks.gold, ...marks.pred].some((mark) => mark !== null);
  return { marks: differs ? marks : null, difference };
}

/**
 * What an item's queries give, and how their rows differ: at most 10,000 rows and 16 MiB of each.
 * @param databasePath absolute path of the item's database
 * @throws AppError where the database file itself is the matter
 */
export async function itemDetail(
  engine: { sandbox: Sandbox },
  record: Pick<ItemRecord, 'gold' | 'sql'>,
  databasePath: string,
  options: DetailOptions,
): Promise<ItemDetail> {
  const run = (sql: string) => runSide(engine.sandbox, databasePath, sql, options);
  const { gold: goldSql, sql } = record;
  const [gold, pred] = await Promise.all([run(goldSql), sql === null ? null : run(sql)]);
  const compared = pred === null ? null : compareSides(goldSql, gold, pred, options.orderPolicy);
  return { gold, pred, compared };
}
