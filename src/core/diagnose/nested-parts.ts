import type { Trace, TraceStage } from '../../protocol/diagnose.ts';
import type { NestedPart } from '../../protocol/diagnosis.ts';
import type { Divergence } from './divergence/divergence.ts';
import type { TracePlan } from './trace/plan.ts';

/** A plan and what came of it. */
interface TracedPlan {
  readonly plan: TracePlan | null;
  readonly trace: Trace;
}

/** The way to a nested stage that parts, in the traces. */
export function nestedParts(
  gold: TracedPlan,
  pred: TracedPlan,
  { inside, predIndex, goldIndex }: Divergence,
): NestedPart[] {
  const parts: NestedPart[] = [];
  let one: TracedPlan | null = gold;
  let other = pred;
  let [goldAt, predAt] = [goldIndex, predIndex];
  for (const place of inside) {
    const own = intoNested(other, predAt, place.pred);
    if (own === null) break;
    const beside: NestedTrace | null = one === null || goldAt === null ? null : intoNested(one, goldAt, place.gold);
    const stage = stageIndex(place.pred, own.trace.stages, place.predIndex);
    const goldStage =
      beside === null || place.goldIndex === null ? null : stageIndex(place.gold, beside.trace.stages, place.goldIndex);
    if (stage === null) break;
    parts.push({
      pred: { trace: own.at, stage },
      gold: beside === null || goldStage === null ? null : { trace: beside.at, stage: goldStage },
    });
    one = beside;
    other = own;
    [goldAt, predAt] = [place.goldIndex, place.predIndex];
  }
  return parts;
}

interface NestedTrace extends TracedPlan {
  /** Which of the queries nested in its stage it is. */
  readonly at: number;
}

function intoNested({ plan, trace }: TracedPlan, index: number, nested: TracePlan): NestedTrace | null {
  const at = plan?.stages[index]?.nested.indexOf(nested) ?? -1;
  const stage = trace.stages[stageIndex(plan, trace.stages, index) ?? -1];
  const inner = stage?.nested?.[at];
  return inner === undefined ? null : { plan: nested, trace: inner, at };
}

/**
 * The place in a trace of a stage of its plan. A stage that cannot be run is not in the trace: the last one before it stands
 * for it.
 */
export function stageIndex(plan: TracePlan | null, stages: readonly TraceStage[], index: number): number | null {
  const wanted = plan?.stages[index];
  if (wanted === undefined) return null;
  const found = stages.findIndex(
    ({ clause, range }) => clause === wanted.clause && range.offset === wanted.range.offset,
  );
  return found >= 0 ? found : Math.min(index, stages.length - 1);
}
