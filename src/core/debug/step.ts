import type { StagePlan, TracePlan } from '../diagnose/trace/plan.ts';

/**
 * A place in a query as it is stepped through: a clause, and the clause around it where it lies in a nested trace. One
 * stands at a clause when it has worked: its rows are there to be seen.
 */
export interface Step {
  readonly plan: TracePlan;
  readonly index: number;
  /** null in the query itself. */
  readonly outer: Step | null;
  /** How many of the clause's nested traces have been left behind: it was come back to from the last of them. */
  readonly behind: number;
}

/** The first clause of a query; null where it has none. */
export function firstStep(plan: TracePlan, outer: Step | null = null): Step | null {
  return plan.stages.length === 0 ? null : { plan, index: 0, outer, behind: 0 };
}

/** @throws RangeError where the step lies outside its plan, which no function here makes */
export function stageOf({ plan, index }: Step): StagePlan {
  const stage = plan.stages[index];
  if (stage === undefined) throw new RangeError(`a plan has no stage ${index}`);
  return stage;
}

/** Whether two steps stand at the same clause in the same way. */
export function sameStep(one: Step | null, other: Step | null): boolean {
  if (one === null || other === null) return one === other;
  return one.plan === other.plan && one.index === other.index && sameStep(one.outer, other.outer);
}

/** Nested traces that can be stepped into. */
export function nestedOf(step: Step): TracePlan[] {
  return stageOf(step).nested.filter(({ stages }) => stages.length > 0);
}

/** The step and those around it, the innermost first. */
export function stepsOf(step: Step): Step[] {
  return step.outer === null ? [step] : [step, ...stepsOf(step.outer)];
}

/** What works after a step where nothing is stepped over: first what is nested in it, then the next clause. */
export function forward(step: Step): Step | null {
  for (const plan of nestedOf(step).slice(step.behind)) {
    const inner = firstStep(plan, { ...step, behind: 0 });
    if (inner !== null) return inner;
  }
  return beyond(step);
}

/** What works after a step and all that is nested in it. */
function beyond({ plan, index, outer }: Step): Step | null {
  if (index + 1 < plan.stages.length) return { plan, index: index + 1, outer, behind: 0 };
  return outer === null ? null : forward(leave(plan, outer));
}

/** The clause around a nested trace that is left. */
function leave(plan: TracePlan, outer: Step): Step {
  return { ...outer, behind: nestedOf(outer).findIndex((nested) => isSame(nested, plan)) + 1 };
}

/** A subquery that was planned again for another outer row is still the same one. */
function isSame(one: TracePlan, other: TracePlan): boolean {
  return one === other || (one.text === other.text && one.range.offset === other.range.offset);
}

/** The next clause of the same query; the clause around it after the last one; null at the end of all. */
export function over({ plan, index, outer }: Step): Step | null {
  if (index + 1 < plan.stages.length) return { plan, index: index + 1, outer, behind: 0 };
  return outer === null ? null : leave(plan, outer);
}

/** The clause around a nested trace; the last clause of the query outside of one; null where one stands there. */
export function out({ plan, index, outer }: Step): Step | null {
  if (outer !== null) return leave(plan, outer);
  const last = plan.stages.length - 1;
  return index === last ? null : { plan, index: last, outer, behind: 0 };
}

/** The clause before; the clause around it before the first one; null at the start of all. */
export function back({ plan, index, outer }: Step): Step | null {
  if (index > 0) return { plan, index: index - 1, outer, behind: 0 };
  return outer === null ? null : { ...outer, behind: 0 };
}

/** The step that `forward` leads from. */
export function backward(step: Step): Step | null {
  const { plan, index, outer } = step;
  if (index > 0) return lastInside({ plan, index: index - 1, outer, behind: 0 });
  if (outer === null) return null;
  const nested = nestedOf(outer);
  const at = nested.findIndex((candidate) => isSame(candidate, plan));
  const before = at > 0 ? nested[at - 1] : undefined;
  return before === undefined ? { ...outer, behind: 0 } : lastOf(before, outer);
}

function lastOf(plan: TracePlan, outer: Step): Step {
  return lastInside({ plan, index: plan.stages.length - 1, outer: { ...outer, behind: 0 }, behind: 0 });
}

function lastInside(step: Step): Step {
  const last = nestedOf(step).at(-1);
  return last === undefined ? step : lastOf(last, step);
}
