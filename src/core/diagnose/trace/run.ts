import type { StageKeys, Trace, TraceStage } from '../../../protocol/diagnose.ts';
import { toJsonCell } from '../../../protocol/value.ts';
import type { CancelSignal, Sandbox } from '../../ports.ts';
import { positionAt } from '../../sql/position.ts';
import type { Asker } from './ask.ts';
import { countStages, type StageCounts } from './count.ts';
import { keyNames } from './distinct.ts';
import { traceCancelled } from './errors.ts';
import { isStable } from './keys.ts';
import type { StagePlan, TracePlan } from './plan.ts';
import { stageKeysSql } from './stage-sql.ts';

export interface TraceOptions {
  /** Time for the counting queries, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** How many keys of each stage to fetch. Default 0: none. */
  readonly maxKeys?: number;
  /** Stages with more rows have no distinct keys counted. Default 200,000. */
  readonly distinctLimit?: number;
  readonly signal?: CancelSignal;
}

/**
 * Runs a plan: counts the rows and keys of all its stages, nested ones included, with two queries where all goes well.
 * A stage that cannot be counted has `rowCount: null` and a note; one that does not run is left out and the trace is not
 * complete.
 * @param db absolute path of the database
 * @throws AppError where the file is no database; `cancelled` when `signal` aborts
 */
export async function runTrace(
  sandbox: Sandbox,
  db: string,
  plan: TracePlan,
  options: TraceOptions = {},
): Promise<Trace> {
  const asker: Asker = { sandbox, db, signal: options.signal };
  const limits = { timeoutMs: options.timeoutMs ?? 10_000, distinctLimit: options.distinctLimit ?? 200_000 };
  const { counts, ms } = await countStages(asker, plan, limits);
  const runner: Runner = { asker, counts, maxKeys: options.maxKeys ?? 0, timeoutMs: limits.timeoutMs };
  const trace = await assemble(runner, plan);
  return { ...trace, ms: trace.ms + ms };
}

interface Runner {
  readonly asker: Asker;
  readonly counts: ReadonlyMap<StagePlan, StageCounts>;
  readonly maxKeys: number;
  readonly timeoutMs: number;
}

async function assemble(runner: Runner, plan: TracePlan): Promise<Trace> {
  const stages: TraceStage[] = [];
  let why = plan.why;
  let before: { stage: StagePlan; counts: StageCounts } | null = null;
  for (const stage of plan.stages) {
    const counts = runner.counts.get(stage);
    if (counts === undefined) continue;
    if (counts.broken) {
      why ??= `${stage.label} cannot be run as a step: ${counts.failure}`;
      continue;
    }
    const built = await stageOf(runner, plan, stage, counts, before);
    stages.push(built);
    why ??= built.nested?.find(({ complete }) => !complete)?.why ?? null;
    before = { stage, counts };
  }
  const outer = await outerOf(runner, plan);
  const trace = { source: plan.source, text: plan.text, stages, complete: why === null, why, outer, ms: 0 };
  return plan.correlation !== null && outer === null ? withoutCounts(trace) : trace;
}

/** Of a correlated subquery without an outer row nothing can be counted. */
function withoutCounts(trace: Trace): Trace {
  const stages = trace.stages.map(
    (stage): TraceStage => ({
      ...stage,
      rowCount: null,
      distinct: Object.fromEntries(Object.keys(stage.distinct).map((alias) => [alias, null])),
      fanout: null,
      growth: null,
      multiplies: null,
      ties: null,
      notes: [...stage.notes, 'There is no outer row for which it could be counted.'],
      ...(stage.nested === undefined ? {} : { nested: stage.nested.map(withoutCounts) }),
    }),
  );
  return { ...trace, stages };
}

async function stageOf(
  runner: Runner,
  plan: TracePlan,
  stage: StagePlan,
  counts: StageCounts,
  before: { stage: StagePlan; counts: StageCounts } | null,
): Promise<TraceStage> {
  const names = keyNames(stage.keys);
  const nested: Trace[] = [];
  for (const inner of stage.nested) nested.push(await assemble(runner, inner));
  const distinct = Object.fromEntries(names.map((name) => [name, counts.distinct.keys[name] ?? null]));
  const base: TraceStage = {
    clause: stage.clause,
    label: stage.label,
    range: positionAt(plan.text, stage.range.offset, stage.range.length),
    sql: stage.sql,
    rowCount: counts.rowCount,
    keys: await keysOf(runner, stage, names),
    distinct,
    ...joinFigures(stage, counts, before?.counts ?? null),
    unstable: stage.keys.some((key) => !isStable(key)),
    ties: counts.ties,
    notes: counts.failure === null ? [...stage.notes] : [...stage.notes, counts.failure],
  };
  return nested.length === 0 ? base : { ...base, nested };
}

function joinFigures(
  { join }: StagePlan,
  { rowCount, distinct }: StageCounts,
  before: StageCounts | null,
): Pick<TraceStage, 'fanout' | 'growth' | 'driving' | 'multiplies'> {
  if (join === null || before === null) return { fanout: null, growth: null, driving: null, multiplies: null };
  const driving = before.distinct.keys[join.driving] ?? null;
  const isSure = distinct.before !== null && rowCount !== null && !join.addsRows && !join.cartesian;
  return {
    fanout: share(rowCount, driving),
    growth: share(rowCount, before.rowCount),
    driving: join.driving,
    multiplies: isSure ? (rowCount ?? 0) > (distinct.before ?? 0) : null,
  };
}

function share(rows: number | null, of: number | null): number | null {
  return rows === null || of === null || of === 0 ? null : rows / of;
}

async function keysOf(runner: Runner, stage: StagePlan, names: readonly string[]): Promise<StageKeys[]> {
  const base = stage.keys.map(({ table, kind, columns }, index) => ({
    alias: names[index] ?? '',
    table,
    kind,
    columns: [...columns],
    values: null,
  }));
  if (runner.maxKeys === 0) return base;
  const sql = stageKeysSql(stage, { offset: 0, limit: runner.maxKeys });
  if (sql === null) return base;
  const { sandbox, db, signal } = runner.asker;
  const result = await sandbox.query({ db, sql, maxRows: runner.maxKeys, timeoutMs: runner.timeoutMs }, signal);
  if (result.status === 'cancelled') throw traceCancelled();
  if (result.status !== 'ok') return base;
  let at = 0;
  return base.map((key, index) => {
    const width = stage.keys[index]?.expressions.length ?? 0;
    const start = at;
    at += width;
    return { ...key, values: result.rows.map((row) => row.slice(start, start + width).map(toJsonCell)) };
  });
}

/** The outer row that a correlated subquery was traced for: the first one. */
async function outerOf(runner: Runner, { correlation }: TracePlan): Promise<Trace['outer']> {
  if (correlation === null) return null;
  const { sandbox, db, signal } = runner.asker;
  const request = { db, sql: `${correlation.keysSql} LIMIT 1`, maxRows: 1, timeoutMs: runner.timeoutMs };
  const result = await sandbox.query(request, signal);
  if (result.status === 'cancelled') throw traceCancelled();
  const [row] = result.rows;
  if (result.status !== 'ok' || row === undefined) return null;
  let at = 0;
  return correlation.keys.map(({ alias, columns, expressions }) => {
    const start = at;
    at += expressions.length;
    return { alias, columns: [...columns], key: row.slice(start, at).map(toJsonCell) };
  });
}
