import type { Table } from '../../score/rows.ts';
import { compareStrictly } from '../../score/strict-ex.ts';
import type { PlacedStage, PlacedStages } from '../align/clauses.ts';
import type { StagePlan } from '../trace/plan.ts';
import { type Divergence, plainDivergence } from './divergence.ts';
import type { Session } from './session.ts';

/** Larger results are not compared before their last clause. */
const MOST_ROWS = 20_000;

/** What was found in the clauses that make results of rows or groups. */
export interface ResultsOutcome {
  readonly divergence: Divergence | null;
  /** Whether the select items of both sides give the same set of rows. */
  readonly sameSets: boolean | null;
}

/** The rows after a stage; null where they are too many or it does not run. */
async function resultOf(session: Session, { sql }: StagePlan): Promise<Table | null> {
  const { db, timeoutMs } = session;
  const result = await session.query({ db, sql, timeoutMs, maxRows: MOST_ROWS });
  return result.status !== 'ok' || result.truncated ? null : { columns: result.columns, rows: result.rows };
}

/** The results of both sides after a pair of stages, and why they differ. */
async function compareAfter(session: Session, gold: PlacedStage, pred: PlacedStage, ordered: boolean) {
  const [one, other] = await Promise.all([resultOf(session, gold.stage), resultOf(session, pred.stage)]);
  return one === null || other === null ? undefined : compareStrictly(one, other, ordered);
}

/** Whether the rows of two stages are the same, however often they stand, for results that are too large to be fetched. */
async function haveSameRows(session: Session, { sql: gold }: StagePlan, { sql: pred }: StagePlan) {
  const only = (one: string, other: string) => `EXISTS (SELECT * FROM (${one}) EXCEPT SELECT * FROM (${other}))`;
  const [row] = (await session.rows(`SELECT ${only(gold, pred)} OR ${only(pred, gold)}`, 1)) ?? [];
  return row === undefined ? null : Number(row[0]) === 0;
}

/** Compares select items, DISTINCT, ORDER BY and LIMIT of two blocks that come to the same rows or groups. */
export async function divergenceInResults(
  session: Session,
  gold: PlacedStages,
  pred: PlacedStages,
): Promise<ResultsOutcome> {
  if (gold.select === null || pred.select === null) return { divergence: null, sameSets: null };
  const items = await compareAfter(session, gold.select, pred.select, false);
  const sameSets =
    items === undefined
      ? await haveSameRows(session, gold.select.stage, pred.select.stage)
      : items === null || items === 'duplicates_only';
  if (sameSets === false)
    return { divergence: plainDivergence('columns', 'SELECT', pred.select, gold.select), sameSets };
  const ofDistinct = items === 'duplicates_only' ? null : await divergenceOfDistinct(session, gold, pred);
  if (ofDistinct !== null) return { divergence: ofDistinct, sameSets };
  if (items === 'duplicates_only' && (gold.distinct === null || pred.distinct === null)) {
    const lacking = pred.distinct === null && gold.distinct !== null;
    const at = pred.distinct ?? pred.select;
    const clause = gold.distinct === null && pred.distinct === null ? 'SELECT' : 'DISTINCT';
    return { divergence: plainDivergence('duplicates', clause, at, gold.distinct ?? gold.select, lacking), sameSets };
  }
  return { divergence: await divergenceOfTail(session, gold, pred), sameSets };
}

async function divergenceOfDistinct(
  session: Session,
  gold: PlacedStages,
  pred: PlacedStages,
): Promise<Divergence | null> {
  if ((gold.distinct === null) === (pred.distinct === null)) return null;
  const one = gold.distinct ?? gold.select;
  const other = pred.distinct ?? pred.select;
  if (one === null || other === null) return null;
  const reason = await compareAfter(session, one, other, false);
  if (reason === null || reason === undefined) return null;
  return plainDivergence('duplicates', 'DISTINCT', other, gold.distinct, pred.distinct === null);
}

/** ORDER BY and LIMIT of two queries whose rows are the same before them. */
export async function divergenceOfTail(
  session: Session,
  gold: PlacedStages,
  pred: PlacedStages,
): Promise<Divergence | null> {
  const goldLast = beforeTail(gold);
  const predLast = beforeTail(pred);
  if (goldLast === null || predLast === null) return null;
  const sameLimit = limitText(gold) === limitText(pred);
  const at = pred.limit ?? pred.orderBy ?? predLast;
  if (!sameLimit) return plainDivergence('limit', 'LIMIT', at, gold.limit, pred.limit === null);
  const ordered = await compareAfter(session, gold.orderBy ?? goldLast, pred.orderBy ?? predLast, true);
  const isTied = gold.limit !== null && gold.orderBy !== null && pred.orderBy !== null && sameTerms(gold, pred);
  // Nobody sorts, or the rows are too many to be compared in order: what stands in the texts is all that is known.
  const isSorted = gold.orderBy !== null || pred.orderBy !== null;
  const isOther = ordered === undefined ? !sameTerms(gold, pred) : ordered !== null;
  if (isSorted && isOther && !isTied) {
    const lacking = pred.orderBy === null;
    return plainDivergence('order', 'ORDER BY', pred.orderBy ?? predLast, gold.orderBy, lacking);
  }
  return pred.limit === null ? null : plainDivergence('ties', 'LIMIT', pred.limit, gold.limit);
}

function beforeTail({ select, distinct, setOperations }: PlacedStages): PlacedStage | null {
  return setOperations.at(-1) ?? distinct ?? select;
}

function limitText({ limit }: PlacedStages): string | null {
  const count = limit?.stage.count;
  if (count === undefined) return null;
  return count.by === 'limit' ? `${count.count} ${count.offset}` : (limit?.stage.parts?.limit ?? '');
}

/** Whether both sort by the same expressions, as far as their text without names of tables tells. */
function sameTerms(gold: PlacedStages, pred: PlacedStages): boolean {
  const text = ({ orderBy }: PlacedStages) =>
    (orderBy?.stage.parts?.orderBy ?? orderBy?.stage.sql ?? '').toLowerCase().replace(/\b\w+\.|["'`()\s]|\basc\b/g, '');
  return text(gold) === text(pred);
}
