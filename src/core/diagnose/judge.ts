import type { Catalog } from '../../protocol/catalog.ts';
import type { Trace } from '../../protocol/diagnose.ts';
import type { Diagnosis } from '../../protocol/diagnosis.ts';
import type { QueryResult } from '../../protocol/query.ts';
import { isOrdered } from '../score/order.ts';
import { compareStrictly } from '../score/strict-ex.ts';
import { parseQuery } from '../sql/ast/parse-query.ts';
import { positionAt } from '../sql/position.ts';
import { placeStages } from './align/clauses.ts';
import type { Divergence } from './divergence/divergence.ts';
import { findDivergence } from './divergence/find.ts';
import { groupTrails } from './divergence/group-trails.ts';
import { type ResultTrails, resultTrails } from './divergence/result-trails.ts';
import { divergenceSentence } from './divergence/sentence.ts';
import type { Session } from './divergence/session.ts';
import { trailsOf } from './divergence/trails.ts';
import { nestedParts, stageIndex } from './nested-parts.ts';
import type { TracePlan } from './trace/plan.ts';
import { planTrace } from './trace/plan-query.ts';
import { runTrace } from './trace/run.ts';

/** Rows of the two results that are compared. */
const MOST_ROWS = 100_000;

/** Stages with more rows have no distinct keys counted: a fifth of a second for 30,000 rows of three tables. */
const MOST_COUNTED = 20_000;

/** A pair whose two queries run, as far as it has been looked into. */
export interface RunningPair {
  readonly session: Session;
  readonly catalog: Catalog;
  readonly gold: RunningSide;
  readonly pred: RunningSide;
  /** The order of rows counts. */
  readonly ordered: boolean;
}

export interface RunningSide {
  readonly sql: string;
  readonly result: QueryResult;
  /** null where the text cannot be looked into. */
  readonly plan: TracePlan | null;
  readonly trace: Trace | null;
  /** Why there is no plan. */
  readonly why: string | null;
}

const EMPTY: Omit<Diagnosis, 'verdict' | 'sentence' | 'effort'> = {
  stage: null,
  goldStage: null,
  nested: [],
  clause: null,
  range: null,
  missing: [],
  extra: [],
  totals: { missing: 0, extra: 0 },
  taxonomy: [],
  repair: null,
  stages: { gold: [], pred: [] },
  complete: true,
  why: null,
  message: null,
};

/** What stands of a diagnosis before classes and repair are looked for. */
export interface PairVerdict {
  readonly diagnosis: Diagnosis;
  /** null where a query does not run, or the results are equal. */
  readonly pair: RunningPair | null;
  readonly divergence: Divergence | null;
}

/**
 * Verdict, stages and first divergence of a pair. The results are compared by `strict_ex`; order counts where the gold's
 * outermost query has ORDER BY.
 * @throws AppError where the file is no database; `cancelled` when the session's signal aborts
 */
export async function judgePair(session: Session, catalog: Catalog, gold: string, pred: string): Promise<PairVerdict> {
  const [goldResult, predResult] = await Promise.all([run(session, gold), run(session, pred)]);
  const failure = failureOf(session, goldResult, predResult, gold, pred);
  if (failure !== null) return { diagnosis: failure, pair: null, divergence: null };
  const ordered = isOrdered(gold, 'gold_order_by');
  const [goldSide, predSide] = await Promise.all([
    sideOf(session, catalog, gold, goldResult),
    sideOf(session, catalog, pred, predResult),
  ]);
  const pair: RunningPair = { session, catalog, gold: goldSide, pred: predSide, ordered };
  const base = { ...EMPTY, ...tracesOf(pair), effort: effortOf(session) };
  if (compareStrictly(goldResult, predResult, ordered) === null) {
    const isCut = goldResult.truncated || predResult.truncated;
    const sentence = isCut
      ? `The first ${goldResult.rows.length} rows are the gold's; the rest was not compared.`
      : "The rows are the gold's.";
    return { diagnosis: { ...base, verdict: 'equal', sentence }, pair: null, divergence: null };
  }
  const divergence = await divergenceOf(pair);
  const diagnosis = { ...base, verdict: 'different' as const, ...(await describe(pair, divergence)) };
  return { diagnosis: { ...diagnosis, effort: effortOf(session) }, pair, divergence };
}

export function effortOf(session: Session): Diagnosis['effort'] {
  return { ...session.effort, exhausted: false };
}

async function run(session: Session, sql: string): Promise<QueryResult> {
  const { db, timeoutMs } = session;
  return session.query({ db, sql, timeoutMs, maxRows: MOST_ROWS, maxBytes: 64 * 2 ** 20 });
}

function failureOf(
  session: Session,
  goldResult: QueryResult,
  predResult: QueryResult,
  gold: string,
  pred: string,
): Diagnosis | null {
  const side = goldResult.status !== 'ok' ? goldResult : predResult;
  if (side.status === 'ok') return null;
  const isGold = side === goldResult;
  const name = isGold ? 'gold' : 'prediction';
  const message = side.message ?? side.status;
  const whole = positionAt(isGold ? gold : pred, 0, 0);
  return {
    ...EMPTY,
    verdict: isGold ? 'gold_error' : 'error',
    sentence: `The ${name} does not run: ${message}`,
    range: isGold ? null : (side.position ?? (side.status === 'error' ? null : whole)),
    effort: effortOf(session),
    message,
  };
}

async function sideOf(session: Session, catalog: Catalog, sql: string, result: QueryResult): Promise<RunningSide> {
  const { query, failure } = parseQuery(sql);
  if (query === null) return { sql, result, plan: null, trace: null, why: failure.message };
  const plan = planTrace(query, sql, catalog);
  const { timeoutMs, signal } = session;
  const limits = { timeoutMs, distinctLimit: MOST_COUNTED, ...(signal === undefined ? {} : { signal }) };
  const trace = await runTrace(session, session.db, plan, limits);
  return { sql, result, plan, trace, why: trace.why };
}

function tracesOf({ gold, pred }: RunningPair): Pick<Diagnosis, 'stages' | 'complete' | 'why'> {
  const why = pred.why ?? gold.why;
  return {
    stages: { gold: gold.trace?.stages ?? [], pred: pred.trace?.stages ?? [] },
    complete: why === null,
    why,
  };
}

async function divergenceOf({ session, gold, pred }: RunningPair): Promise<Divergence | null> {
  if (gold.plan === null || pred.plan === null) return null;
  return findDivergence(session, gold.plan, pred.plan);
}

type Described = Pick<
  Diagnosis,
  'sentence' | 'stage' | 'goldStage' | 'nested' | 'clause' | 'range' | 'missing' | 'extra' | 'totals'
>;

async function describe(pair: RunningPair, divergence: Divergence | null): Promise<Described> {
  const { gold, pred, ordered } = pair;
  const ofResult = resultTrails(gold.result, pred.result, ordered);
  if (divergence === null || pred.trace === null || gold.trace === null)
    return {
      ...ofResult,
      sentence: `The results differ: ${resultSentence(ofResult, pair)}. At which clause cannot be told.`,
      stage: null,
      goldStage: null,
      nested: [],
      clause: null,
      range: null,
    };
  const { range, clause } = divergence;
  return {
    ...(await trailsFor(pair, divergence, ofResult)),
    sentence: divergenceSentence(divergence),
    stage: stageIndex(pred.plan, pred.trace.stages, divergence.predIndex),
    goldStage: divergence.goldIndex === null ? null : stageIndex(gold.plan, gold.trace.stages, divergence.goldIndex),
    nested: nestedParts({ plan: gold.plan, trace: gold.trace }, { plan: pred.plan, trace: pred.trace }, divergence),
    clause,
    range: positionAt(pred.sql, range.offset, range.length),
  };
}

function resultSentence({ totals }: ResultTrails, { gold, pred }: RunningPair): string {
  const [goldWidth, predWidth] = [gold.result.columns.length, pred.result.columns.length];
  if (goldWidth !== predWidth) return `the gold has ${goldWidth} columns, the prediction ${predWidth}`;
  return `${totals.missing} rows of the gold are missing, ${totals.extra} are too many`;
}

async function trailsFor(pair: RunningPair, divergence: Divergence, ofResult: ResultTrails): Promise<ResultTrails> {
  const { session, gold, pred } = pair;
  const { rows, kind, totals } = divergence;
  if (rows !== null && kind !== 'multiplicity')
    return {
      missing: totals.missing === 0 ? [] : await trailsOf(session, rows, 'missing', pred.sql),
      extra: totals.extra === 0 ? [] : await trailsOf(session, rows, 'extra', gold.sql),
      totals,
    };
  const innermost = divergence.inside.at(-1);
  const [goldPlan, predPlan] = [innermost?.gold ?? gold.plan, innermost?.pred ?? pred.plan];
  if (kind === 'groups' && goldPlan !== null && predPlan !== null) {
    const one = { stages: placeStages(goldPlan), text: gold.sql };
    const other = { stages: placeStages(predPlan), text: pred.sql };
    return (await groupTrails(session, one, other, totals)) ?? ofResult;
  }
  return ofResult;
}
