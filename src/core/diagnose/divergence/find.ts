import { compareStrictly } from '../../score/strict-ex.ts';
import { type PlacedStage, type PlacedStages, placeStages } from '../align/clauses.ts';
import type { StagePlan, TracePlan } from '../trace/plan.ts';
import { type Divergence, plainDivergence } from './divergence.ts';
import { divergenceInGroups } from './in-groups.ts';
import { divergenceInResults, divergenceOfTail } from './in-results.ts';
import { divergenceInRows, onlySubqueries } from './in-rows.ts';
import type { Session } from './session.ts';

/**
 * The first stage at which the rows of two queries part, in the order in which SQL works. null where none of the stages
 * can be told to be it.
 */
export async function findDivergence(session: Session, gold: TracePlan, pred: TracePlan): Promise<Divergence | null> {
  const [goldStages, predStages] = [placeStages(gold), placeStages(pred)];
  const isGoldCompound = goldStages.setOperations.length > 0;
  const isPredCompound = predStages.setOperations.length > 0;
  if (isGoldCompound && isPredCompound) return betweenCompounds(session, goldStages, predStages);
  if (isGoldCompound || isPredCompound) return oneCompound(goldStages, predStages);
  return betweenBlocks(session, goldStages, predStages);
}

async function betweenBlocks(session: Session, gold: PlacedStages, pred: PlacedStages): Promise<Divergence | null> {
  const rows = await divergenceInRows(session, { gold, pred });
  if (rows.divergence !== null) {
    const inner = onlySubqueries(gold, pred);
    if (rows.divergence.clause !== 'FROM' || inner === null) return rows.divergence;
    return within(rows.divergence, await findDivergence(session, inner.gold, inner.pred)) ?? rows.divergence;
  }
  const groups = await divergenceInGroups(session, gold, pred, rows.recounted === null);
  if (groups !== null && !onlyDistinct(gold, pred))
    return rows.recounted !== null && countsRows(groups, gold, pred) ? rows.recounted : groups;
  const results = await divergenceInResults(session, gold, pred);
  // Rows that stand another number of times count where the values made of them differ by it.
  if (rows.recounted !== null && isByNumber(gold, pred, results.sameSets)) return rows.recounted;
  return results.divergence ?? groups ?? rows.recounted;
}

/** Groups without aggregates do what DISTINCT does. */
function onlyDistinct(gold: PlacedStages, pred: PlacedStages): boolean {
  const isPlain = ({ group, having, distinct }: PlacedStages) =>
    having === null &&
    (group === null ? distinct !== null : group.stage.clause === 'GROUP BY' && !hasAggregate(group.stage));
  return isPlain(gold) && isPlain(pred);
}

const AGGREGATE = /\b(?:count|sum|avg|total|min|max|group_concat|string_agg)\s*\(/i;

function hasAggregate({ parts }: StagePlan): boolean {
  return parts !== null && AGGREGATE.test(parts.groupItems);
}

/** HAVING keeps other groups because they hold other numbers of rows. */
function countsRows({ clause }: Divergence, { having: gold }: PlacedStages, { having: pred }: PlacedStages): boolean {
  return clause === 'HAVING' && [gold, pred].every((at) => at === null || COUNTING.test(at.stage.parts?.having ?? ''));
}

const COUNTING = /\b(?:count|sum|avg|total)\s*\(/i;

function isByNumber(gold: PlacedStages, pred: PlacedStages, sameSets: boolean | null): boolean {
  if (sameSets === true) return gold.distinct === null || pred.distinct === null;
  return [gold, pred].every(({ group }) => group !== null && COUNTING.test(group.stage.sql));
}

/** A divergence inside a nested trace, told by the stage that it is nested in. */
function within(outer: Divergence, inner: Divergence | null): Divergence | null {
  return inner === null ? null : { ...inner, predIndex: outer.predIndex, goldIndex: outer.goldIndex };
}

interface PlacedArm {
  readonly operator: string;
  readonly plan: TracePlan;
  readonly at: PlacedStage;
}

/** The SELECTs of a compound, each with the stage that it belongs to. */
function armsOf({ setOperations }: PlacedStages): PlacedArm[] {
  return setOperations.flatMap((at, index) => {
    const arms = at.stage.nested.filter(({ source }) => source.kind === 'arm');
    return arms.map((plan, place) => ({ operator: index === 0 && place === 0 ? '' : at.stage.label, plan, at }));
  });
}

async function betweenCompounds(session: Session, gold: PlacedStages, pred: PlacedStages): Promise<Divergence | null> {
  const [goldArms, predArms] = [armsOf(gold), armsOf(pred)];
  const [first] = pred.setOperations;
  if (first === undefined) return null;
  const isSameShape =
    goldArms.length === predArms.length && goldArms.every(({ operator }, at) => operator === predArms[at]?.operator);
  if (!isSameShape)
    return plainDivergence(
      'set_operation',
      'SET OPERATION',
      otherOperator(gold, pred) ?? first,
      gold.setOperations[0] ?? null,
    );
  const paired = await pairedArms(session, goldArms, predArms);
  for (const { gold: one, pred: other } of paired) {
    const outer = plainDivergence('set_operation', 'SET OPERATION', other.at, one.at);
    if (await sameResults(session, one.plan, other.plan)) continue;
    return within(outer, await findDivergence(session, one.plan, other.plan)) ?? outer;
  }
  return divergenceOfTail(session, gold, pred);
}

/** The first set operation whose operator is not the gold's. */
function otherOperator(gold: PlacedStages, pred: PlacedStages): PlacedStage | null {
  return pred.setOperations.find(({ stage }, at) => stage.label !== gold.setOperations[at]?.stage.label) ?? null;
}

/** Arms in order; two whose order does not count are swapped where that makes them equal. */
async function pairedArms(session: Session, gold: readonly PlacedArm[], pred: readonly PlacedArm[]) {
  const inOrder = gold.flatMap((one, at) => {
    const other = pred[at];
    return other === undefined ? [] : [{ gold: one, pred: other }];
  });
  const [first, second] = inOrder;
  if (inOrder.length !== 2 || first === undefined || second === undefined || second.gold.operator === 'EXCEPT')
    return inOrder;
  const isSwapped =
    (await sameResults(session, first.gold.plan, second.pred.plan)) ||
    (await sameResults(session, second.gold.plan, first.pred.plan));
  if (!isSwapped) return inOrder;
  return [
    { gold: first.gold, pred: second.pred },
    { gold: second.gold, pred: first.pred },
  ];
}

async function sameResults(session: Session, gold: TracePlan, pred: TracePlan): Promise<boolean> {
  const [one, other] = await Promise.all([lastResult(session, gold), lastResult(session, pred)]);
  return one !== null && other !== null && compareStrictly(one, other, false) === null;
}

async function lastResult(session: Session, { stages }: TracePlan) {
  const last = stages.at(-1);
  if (last === undefined) return null;
  const { db, timeoutMs } = session;
  const result = await session.query({ db, sql: last.sql, timeoutMs, maxRows: 20_000 });
  return result.status === 'ok' && !result.truncated ? result : null;
}

/** One query puts two results together, the other is one SELECT. */
function oneCompound(gold: PlacedStages, pred: PlacedStages): Divergence | null {
  const [operation] = pred.setOperations;
  const at = operation ?? pred.distinct ?? pred.select;
  if (at === null) return null;
  return plainDivergence('set_operation', 'SET OPERATION', at, gold.setOperations[0] ?? null, operation === undefined);
}
