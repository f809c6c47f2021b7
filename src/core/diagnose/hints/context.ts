import type { Trace, TraceStage } from '../../../protocol/diagnose.ts';
import type { Hint, HintKind } from '../../../protocol/diagnosis.ts';
import type { QueryResult } from '../../../protocol/query.ts';
import type { Block, Query, Range } from '../../sql/ast/query.ts';
import { queriesIn } from '../../sql/ast/walk.ts';
import { positionAt } from '../../sql/position.ts';
import type { Resolution } from '../../sql/scope/scope.ts';
import type { Session } from '../divergence/session.ts';
import type { StagePlan, TracePlan } from '../trace/plan.ts';

/** A stage of a plan with what was counted of it. */
export interface CountedStage {
  readonly plan: StagePlan;
  readonly trace: TraceStage;
  /** The stages of the same SELECT. */
  readonly siblings: readonly CountedStage[];
}

/** What hints are drawn from. */
export interface HintContext {
  readonly session: Session;
  readonly sql: string;
  readonly query: Query;
  readonly names: Resolution;
  readonly result: QueryResult;
  /** Of the query's own text: stages of views are left out. */
  readonly stages: readonly CountedStage[];
}

export function hintAt(
  { sql }: Pick<HintContext, 'sql'>,
  kind: HintKind,
  range: Range | null,
  sentence: string,
  evidence: Hint['evidence'] = {},
): Hint {
  return { kind, sentence, range: range === null ? null : positionAt(sql, range.offset, range.length), evidence };
}

/** All stages of a trace and of those nested in it that stand in the same text. */
export function countedStages(plan: TracePlan, trace: Trace): CountedStage[] {
  const own: CountedStage[] = [];
  const nested: CountedStage[] = [];
  for (const stage of plan.stages) {
    const counted = trace.stages.find(
      ({ clause, range }) => clause === stage.clause && range.offset === stage.range.offset,
    );
    if (counted === undefined) continue;
    own.push({ plan: stage, trace: counted, siblings: own });
    for (const [index, inner] of stage.nested.entries()) {
      const innerTrace = counted.nested?.[index];
      if (inner.text === plan.text && innerTrace !== undefined) nested.push(...countedStages(inner, innerTrace));
    }
  }
  return [...own, ...nested];
}

/** All SELECT blocks of a query, also of those in it. */
export function blocksOf(query: Query): Block[] {
  const own = query.arms.flatMap(({ core }) => (core.kind === 'select' ? [core] : []));
  return [...own, ...queriesIn(query).flatMap(blocksOf)];
}

/** A text of the query on one line. */
export function said(sql: string, { offset, length }: Range): string {
  return sql.slice(offset, offset + length).replace(/\s+/g, ' ');
}
