import type { ItemRecord } from '../../../protocol/eval.ts';
import type { Share } from '../../../protocol/score.ts';
import { wilson } from '../../score/statistics/wilson.ts';
import { groupBy } from './group.ts';

/** How many messages of the model the answers took; samples and retries count as turns. */
export interface TurnsReport {
  total: number;
  /** 0 of no items. */
  mean: number;
  /** Items by their number of turns, with the right ones among those whose gold runs. */
  counts: { turns: number; items: number; right: Share }[];
}

export function turnsReport(records: readonly ItemRecord[]): TurnsReport {
  const total = records.reduce((sum, { turns }) => sum + turns.length, 0);
  const counts = [...groupBy(records, ({ turns }) => String(turns.length))]
    .map(([turns, members]) => {
      const judged = members.filter(({ outcome }) => outcome !== 'gold_failed');
      const right = judged.filter(({ outcome }) => outcome === 'right').length;
      return { turns: Number(turns), items: members.length, right: wilson(right, judged.length) };
    })
    .sort((a, b) => a.turns - b.turns);
  return { total, mean: records.length === 0 ? 0 : total / records.length, counts };
}
