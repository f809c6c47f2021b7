import type { CutTies } from '../../../protocol/diagnose.ts';
import { type Answer, type Asker, askAll } from './ask.ts';
import { type DistinctCounts, distinctSql, knownDistinct, readDistinct } from './distinct.ts';
import type { StagePlan, TracePlan } from './plan.ts';

/** What was counted of a stage. */
export interface StageCounts {
  readonly rowCount: number | null;
  readonly distinct: DistinctCounts;
  readonly ties: CutTies | null;
  /** Why something is not known; null where all is. */
  readonly failure: string | null;
  /** The stage does not run as it was built. */
  readonly broken: boolean;
}

export interface CountOptions {
  /** Time for each of the two questions, in milliseconds. */
  readonly timeoutMs: number;
  /** Stages with more rows than this have no distinct keys counted. */
  readonly distinctLimit: number;
}

const NOTHING: DistinctCounts = { keys: {}, before: null };

/** Counts all stages of a trace, nested ones included: the rows with one query, distinct keys and ties with a second. */
export async function countStages(
  asker: Asker,
  plan: TracePlan,
  options: CountOptions,
): Promise<{ counts: Map<StagePlan, StageCounts>; ms: number }> {
  const traces = allTraces(plan);
  const rows = await countRows(asker, plan, traces, options);
  const rest = await countDistinct(asker, traces, rows.counts, options);
  return { counts: rest.counts, ms: rows.ms + rest.ms };
}

function allTraces(plan: TracePlan): TracePlan[] {
  return [plan, ...plan.stages.flatMap(({ nested }) => nested.flatMap(allTraces))];
}

interface RowCount {
  readonly rowCount: number | null;
  readonly failure: string | null;
  readonly broken: boolean;
}

async function countRows(
  asker: Asker,
  plan: TracePlan,
  traces: readonly TracePlan[],
  { timeoutMs }: CountOptions,
): Promise<{ counts: Map<StagePlan, RowCount>; ms: number }> {
  const asked = traces
    .flatMap(({ stages }) => stages)
    .flatMap((stage) => ('sql' in stage.count ? [{ stage, sql: stage.count.sql }] : []));
  const whole = plan.stages.at(-1);
  const checks = whole === undefined ? [] : [checkSql(whole)];
  const { answers, ms } = await askAll(asker, [...asked.map(({ sql }) => sql), ...checks], timeoutMs);
  const byStage = new Map(asked.map(({ stage }, index) => [stage, answers[index]]));
  const counts = new Map<StagePlan, RowCount>();
  for (const { stages } of traces) {
    let before: number | null = 1;
    for (const stage of stages) {
      const counted = rowCountOf(stage, before, byStage.get(stage));
      counts.set(stage, counted);
      before = counted.rowCount;
    }
  }
  const isBroken = checks.length > 0 && answers[asked.length]?.broken === true;
  const more = isBroken ? await markBroken(asker, plan, counts, timeoutMs) : 0;
  return { counts, ms: ms + more };
}

/** Prepares a stage's query without running it: not every stage is counted by its own query. */
function checkSql({ sql }: StagePlan): string {
  return `SELECT CASE WHEN 0 THEN (SELECT count(*) FROM (${sql})) END`;
}

/** Finds the stages that SQLite refuses. @returns the milliseconds it took */
async function markBroken(
  asker: Asker,
  { stages }: TracePlan,
  counts: Map<StagePlan, RowCount>,
  timeoutMs: number,
): Promise<number> {
  const { answers, ms } = await askAll(asker, stages.map(checkSql), timeoutMs);
  for (const [index, stage] of stages.entries()) {
    const answer = answers[index];
    if (answer?.broken === true) counts.set(stage, { rowCount: null, failure: answer.failure, broken: true });
  }
  return ms;
}

function rowCountOf(stage: StagePlan, before: number | null, answer: Answer | undefined): RowCount {
  const { count } = stage;
  const failure = answer?.failure ?? null;
  const broken = answer?.broken ?? false;
  const known = (rowCount: number | null): RowCount => ({ rowCount, failure, broken });
  const number = answer === undefined || answer.value === null ? null : Number(answer.value);
  switch (count.by) {
    case 'query':
      return known(number);
    case 'product':
      return known(number === null || before === null ? null : number * before);
    case 'same':
      return known(before);
    case 'one':
      return known(1);
    case 'limit':
      return known(before === null ? null : Math.min(count.count, Math.max(0, before - count.offset)));
  }
}

interface Open {
  readonly stage: StagePlan;
  readonly sql: string;
}

async function countDistinct(
  asker: Asker,
  traces: readonly TracePlan[],
  rows: ReadonlyMap<StagePlan, RowCount>,
  options: CountOptions,
) {
  const keyed: Open[] = [];
  const tied: Open[] = [];
  for (const { stages } of traces) {
    for (const [index, stage] of stages.entries()) {
      const earlier = stages[index - 1];
      const rowCount = rows.get(stage)?.rowCount ?? null;
      const sql = needsDistinct(stage, rowCount, options.distinctLimit)
        ? distinctSql(stage, keysBefore(stage, earlier))
        : null;
      if (sql !== null) keyed.push({ stage, sql });
      const total = earlier === undefined ? null : (rows.get(earlier)?.rowCount ?? null);
      const ties = tiesQuestion(stage, total);
      if (ties !== null) tied.push({ stage, sql: ties });
    }
  }
  const questions = [...keyed, ...tied].map(({ sql }) => sql);
  const { answers, ms } =
    questions.length === 0 ? { answers: [], ms: 0 } : await askAll(asker, questions, options.timeoutMs);
  const distinct = new Map(keyed.map(({ stage }, index) => [stage, answers[index]]));
  const ties = new Map(tied.map(({ stage }, index) => [stage, answers[keyed.length + index]]));
  const counts = new Map<StagePlan, StageCounts>();
  for (const { stages } of traces) {
    let before = NOTHING;
    for (const stage of stages) {
      const row = rows.get(stage) ?? { rowCount: null, failure: null, broken: false };
      before = distinctOf(stage, row.rowCount, distinct.get(stage), before);
      const failure = row.failure ?? distinct.get(stage)?.failure ?? null;
      counts.set(stage, { ...row, failure, distinct: before, ties: tiesOf(stage, ties.get(stage)) });
    }
  }
  return { counts, ms };
}

function keysBefore({ clause }: StagePlan, earlier: StagePlan | undefined): number {
  return clause === 'JOIN' ? (earlier?.keys.length ?? 0) : 0;
}

/** FROM, JOIN and WHERE change the keys; what comes behind them keeps them, or makes groups of them. */
function needsDistinct(stage: StagePlan, rowCount: number | null, limit: number): boolean {
  if (stage.clause !== 'FROM' && stage.clause !== 'JOIN' && stage.clause !== 'WHERE') return false;
  return rowCount !== null && rowCount <= limit && knownDistinct(stage, rowCount) === null;
}

function distinctOf(
  stage: StagePlan,
  rowCount: number | null,
  answer: Answer | undefined,
  before: DistinctCounts,
): DistinctCounts {
  if (typeof answer?.value === 'string') return readDistinct(stage, answer.value);
  if (stage.level === 'groups') return { keys: { group: rowCount }, before: null };
  if (stage.level === 'result') return NOTHING;
  // After LIMIT the keys are those of the rows that are left, which nobody counted.
  if (stage.count.by === 'same') return { keys: before.keys, before: null };
  return knownDistinct(stage, rowCount) ?? NOTHING;
}

function tiesQuestion({ tiesSql, count }: StagePlan, total: number | null): string | null {
  const isCut = count.by === 'limit' && total !== null && total > count.count + count.offset && count.count > 0;
  return tiesSql === null || !isCut ? null : `SELECT json_array(place, tied) FROM (${tiesSql})`;
}

/** The tied rows reach from `place` over the cut, or end at it. */
function tiesOf({ count }: StagePlan, answer: Answer | undefined): CutTies | null {
  if (typeof answer?.value !== 'string' || count.by !== 'limit') return null;
  const [place, tied]: number[] = JSON.parse(answer.value);
  if (place === undefined || tied === undefined) return null;
  const cut = count.count + count.offset;
  if (place + tied - 1 <= cut) return null;
  return { tied, kept: cut - Math.max(place - 1, count.offset) };
}
