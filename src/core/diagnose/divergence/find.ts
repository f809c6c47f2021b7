import { compareStrictly } from '../../score/strict-ex.ts';
import { type PlacedStage, type PlacedStages, placeStages } from '../align/clauses.ts';
import type { StagePlan, TracePlan } from '../trace/plan.ts';
import { type Divergence, plainDivergence } from './divergence.ts';
import { divergenceInGroups } from './in-groups.ts';
import { divergenceInResults, divergenceOfTail } from './in-results.ts';
import { divergenceInRows } from './in-rows.ts';
import { nestedPairs, within } from './nested.ts';
import { ordinal } from './sentence.ts';
import type { Session } from './session.ts';

/**
 * The first stage at which the rows of two queries part, in the order in which SQL works. null where none of the stages
 * can be told to be it.
 */
export async function findDivergence(session: Session, gold: TracePlan, pred: TracePlan): Promise<Divergence | null> {
  const found = await atOwnStages(session, gold, pred);
  if (found === null || found.lacking) return found;
  for (const pair of nestedPairs(gold, pred, found)) {
    if (await sameResults(session, pair.gold, pair.pred)) continue;
    const inner = await findDivergence(session, pair.gold, pair.pred);
    if (inner !== null) return within(found, pair, inner);
  }
  return found;
}

/** Not looking into what is nested in the stages, but for the SELECTs of compounds. */
async function atOwnStages(session: Session, gold: TracePlan, pred: TracePlan): Promise<Divergence | null> {
  const [goldStages, predStages] = [placeStages(gold), placeStages(pred)];
  const isGoldCompound = goldStages.setOperations.length > 0;
  const isPredCompound = predStages.setOperations.length > 0;
  if (isGoldCompound && isPredCompound) return betweenCompounds(session, goldStages, predStages);
  if (isGoldCompound || isPredCompound)
    return oneCompound(session, { plan: gold, stages: goldStages }, { plan: pred, stages: predStages });
  return betweenBlocks(session, goldStages, predStages);
}

async function betweenBlocks(session: Session, gold: PlacedStages, pred: PlacedStages): Promise<Divergence | null> {
  const rows = await divergenceInRows(session, { gold, pred });
  if (rows.divergence !== null) return rows.divergence;
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
    const inner = await findDivergence(session, one.plan, other.plan);
    const arm = predArms.indexOf(other) + 1;
    const pair = { gold: one.plan, pred: other.plan, goldIndex: one.at.index, arm };
    return inner === null ? outer : within(outer, pair, inner);
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

interface PlannedSide {
  readonly plan: TracePlan;
  readonly stages: PlacedStages;
}

/** One query puts two results together, the other is one SELECT. */
async function oneCompound(session: Session, gold: PlannedSide, pred: PlannedSide): Promise<Divergence | null> {
  const [operation] = pred.stages.setOperations;
  const at = operation ?? pred.stages.distinct ?? pred.stages.select;
  if (at === null) return null;
  const isLacking = operation === undefined;
  const found = plainDivergence('set_operation', 'SET OPERATION', at, gold.stages.setOperations[0] ?? null, isLacking);
  const [compound, single] = isLacking ? [gold, pred] : [pred, gold];
  const arm = await armWithRowsOf(session, armsOf(compound.stages), single.plan);
  if (arm === null) return found;
  const detail = isLacking
    ? `It gives the rows of the gold's ${arm} SELECT alone.`
    : `Its ${arm} SELECT alone gives the gold's rows.`;
  return { ...found, detail };
}

/** Which SELECT of a compound gives the rows of another query by itself, in words. */
async function armWithRowsOf(session: Session, arms: readonly PlacedArm[], single: TracePlan): Promise<string | null> {
  for (const [index, arm] of arms.entries())
    if (await sameResults(session, arm.plan, single)) return ordinal(index + 1);
  return null;
}
