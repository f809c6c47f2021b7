import { foldName, tokensOf } from '../../sql/tokens.ts';
import { alignStages } from '../align/side-by-side.ts';
import type { StagePlan, TracePlan } from '../trace/plan.ts';
import type { Divergence } from './divergence.ts';

/** A query of both sides that is nested in stages at which they part. */
export interface NestedPair {
  readonly gold: TracePlan;
  readonly pred: TracePlan;
  /** The stage of the gold that its query is nested in. */
  readonly goldIndex: number;
  /** Which SELECT of a compound it is in the prediction, from 1; null for what else is nested. */
  readonly arm: number | null;
}

/**
 * What is nested in the stages at which two queries part and stands in both of them: the same WITH, a subquery in FROM; a
 * subquery in a condition or an expression only where all around it is the same text. Subqueries that depend on the row
 * around them are left out: they have other rows for each.
 */
export function nestedPairs(gold: TracePlan, pred: TracePlan, { predIndex, goldIndex }: Divergence): NestedPair[] {
  const at = goldIndex ?? alignStages(gold.stages, pred.stages).find((line) => line.pred === predIndex)?.gold ?? null;
  const predStage = pred.stages[predIndex];
  const goldStage = at === null ? undefined : gold.stages[at];
  if (predStage === undefined || goldStage === undefined || at === null) return [];
  const isSameAround = textAround(gold, goldStage) === textAround(pred, predStage);
  return predStage.nested.flatMap((inner): NestedPair[] => {
    const other = counterpart(inner, predStage, goldStage);
    if (other === null || inner.correlation !== null || other.correlation !== null) return [];
    if (inner.source.kind === 'expression' && !isSameAround) return [];
    return [{ gold: other, pred: inner, goldIndex: at, arm: null }];
  });
}

/** The nested query of the gold that is of the same kind and name, else of the same kind at the same place. */
function counterpart(inner: TracePlan, predStage: StagePlan, goldStage: StagePlan): TracePlan | null {
  const { kind, name } = inner.source;
  if (kind === 'view' || kind === 'arm') return null;
  const own = predStage.nested.filter(({ source }) => source.kind === kind);
  const others = goldStage.nested.filter(({ source }) => source.kind === kind);
  const named = others.find(({ source }) => name !== null && foldName(source.name ?? '') === foldName(name));
  return named ?? (own.length === others.length ? (others[own.indexOf(inner)] ?? null) : null);
}

/** The text of a clause without what is nested in it, white space and case. */
function textAround({ text }: TracePlan, { range, nested }: StagePlan): string {
  const inner = nested
    .filter((plan) => plan.text === text)
    .map((plan) => plan.range)
    .sort((one, other) => one.offset - other.offset);
  let around = '';
  let at = range.offset;
  for (const { offset, length } of inner) {
    if (offset < at || offset > range.offset + range.length) continue;
    around += `${text.slice(at, offset)} ? `;
    at = offset + length;
  }
  around += text.slice(at, range.offset + range.length);
  return tokensOf(around)
    .map((token) => (token.kind === 'STRING' ? token.text : token.text.toLowerCase()))
    .join(' ');
}

/** A divergence inside a nested query, told by the stages that it is nested in. */
export function within(outer: Divergence, { gold, pred, goldIndex, arm }: NestedPair, inner: Divergence): Divergence {
  const place = { gold, pred, arm, goldIndex: inner.goldIndex, predIndex: inner.predIndex };
  return { ...inner, predIndex: outer.predIndex, goldIndex, inside: [place, ...inner.inside] };
}
