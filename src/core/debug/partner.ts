import { alignStages } from '../diagnose/align/side-by-side.ts';
import type { TracePlan } from '../diagnose/trace/plan.ts';
import { foldName } from '../sql/tokens.ts';
import { firstStep, nestedOf, type Step, stepsOf } from './step.ts';

/**
 * Where the other of two queries stands while one is stepped through: as far as it has come by the same clause, and in the
 * nested trace of the same kind and name where it has one there. null where the other query has no clauses.
 */
export function partnerOf(step: Step, other: TracePlan): Step | null {
  let partner = firstStep(other);
  for (const level of stepsOf(step).reverse()) {
    if (partner === null) return null;
    partner = { ...partner, index: partnerIndex(level, partner.plan) };
    const inner = innerOf(step, level);
    const nested = inner === null ? null : counterpart(inner, level, partner);
    if (nested === null) return partner;
    partner = firstStep(nested, partner);
  }
  return partner;
}

/** The step of `step` that lies directly inside a level of it. */
function innerOf(step: Step, level: Step): Step | null {
  return stepsOf(step).find(({ outer }) => outer === level) ?? null;
}

/** The last clause that stands on the same line or above; at the last clause of one, the last of the other. */
function partnerIndex({ plan, index }: Step, other: TracePlan): number {
  if (index === plan.stages.length - 1) return other.stages.length - 1;
  const lines = alignStages(plan.stages, other.stages);
  let reached = 0;
  for (const { gold, pred } of lines) {
    if (pred !== null) reached = pred;
    if (gold === index) break;
  }
  return reached;
}

function counterpart(inner: Step, outer: Step, partner: Step): TracePlan | null {
  const { kind, name } = inner.plan.source;
  const ofKind = (step: Step) => nestedOf(step).filter(({ source }) => source.kind === kind);
  const there = ofKind(partner);
  const named = there.find(({ source }) => name !== null && foldName(source.name ?? '') === foldName(name));
  if (named !== undefined) return named;
  const place = ofKind(outer).findIndex(({ range }) => range.offset === inner.plan.range.offset);
  return there[place] ?? null;
}
