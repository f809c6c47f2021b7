import type { Clause } from '../../../protocol/diagnose.ts';
import { foldName } from '../../sql/tokens.ts';

/** Stages that stand on one line, by their index; null where one query has none there. */
export interface StageLine {
  readonly gold: number | null;
  readonly pred: number | null;
}

/** What of a stage alignment looks at. */
export interface AlignableStage {
  readonly clause: Clause;
  readonly keys: readonly { readonly table: string | null }[];
}

/** The stages of two queries beside each other: as many as can be stand beside one of the same clause and table. */
export function alignStages(gold: readonly AlignableStage[], pred: readonly AlignableStage[]): StageLine[] {
  const score = (one: number, other: number) => likeness(gold[one], pred[other]);
  const best = Array.from({ length: gold.length + 1 }, () => new Array<number>(pred.length + 1).fill(0));
  const at = (one: number, other: number) => best[one]?.[other] ?? 0;
  for (let one = gold.length - 1; one >= 0; one--)
    for (let other = pred.length - 1; other >= 0; other--) {
      const row = best[one];
      const paired = score(one, other);
      const together = paired === 0 ? 0 : paired + at(one + 1, other + 1);
      if (row) row[other] = Math.max(together, at(one + 1, other), at(one, other + 1));
    }
  const lines: StageLine[] = [];
  for (let one = 0, other = 0; one < gold.length || other < pred.length; ) {
    const paired = score(one, other);
    if (paired > 0 && at(one, other) === paired + at(one + 1, other + 1)) lines.push({ gold: one++, pred: other++ });
    else if (one < gold.length && (other >= pred.length || at(one + 1, other) >= at(one, other + 1)))
      lines.push({ gold: one++, pred: null });
    else lines.push({ gold: null, pred: other++ });
  }
  return lines;
}

/** 0: they cannot stand on one line. */
function likeness(gold: AlignableStage | undefined, pred: AlignableStage | undefined): number {
  if (gold === undefined || pred === undefined || gold.clause !== pred.clause) return 0;
  const table = ({ keys }: AlignableStage) => foldName(keys.at(-1)?.table ?? '');
  const isJoined = gold.clause === 'FROM' || gold.clause === 'JOIN';
  return isJoined && table(gold) === table(pred) ? 3 : 2;
}
