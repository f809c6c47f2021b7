import type { Clause } from '../../../protocol/diagnose.ts';
import type { StagePlan, TracePlan } from '../trace/plan.ts';

/** A stage of a plan with its place in it. */
export interface PlacedStage {
  readonly index: number;
  readonly stage: StagePlan;
}

/** The stages of one SELECT, by what they do. A compound has none but `setOperations`, `orderBy` and `limit`. */
export interface PlacedStages {
  /** FROM and the joins, in order. */
  readonly from: readonly PlacedStage[];
  readonly where: PlacedStage | null;
  /** GROUP BY or AGGREGATE. */
  readonly group: PlacedStage | null;
  readonly having: PlacedStage | null;
  readonly select: PlacedStage | null;
  readonly distinct: PlacedStage | null;
  readonly setOperations: readonly PlacedStage[];
  readonly orderBy: PlacedStage | null;
  readonly limit: PlacedStage | null;
}

/** The stages of a plan by their clause. */
export function placeStages({ stages }: TracePlan): PlacedStages {
  const placed = stages.map((stage, index): PlacedStage => ({ index, stage }));
  const all = (...clauses: Clause[]) => placed.filter(({ stage }) => clauses.includes(stage.clause));
  const one = (...clauses: Clause[]) => all(...clauses)[0] ?? null;
  return {
    from: all('FROM', 'JOIN'),
    where: one('WHERE'),
    group: one('GROUP BY', 'AGGREGATE'),
    having: one('HAVING'),
    select: one('SELECT'),
    distinct: one('DISTINCT'),
    setOperations: all('SET OPERATION'),
    orderBy: one('ORDER BY'),
    limit: one('LIMIT'),
  };
}

/** The stage after which the rows stand that grouping and the select items work on; null without FROM and WHERE. */
export function rowsStage({ from, where }: PlacedStages): PlacedStage | null {
  return where ?? from.at(-1) ?? null;
}
