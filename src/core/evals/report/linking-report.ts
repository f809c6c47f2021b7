import type { ItemRecord } from '../../../protocol/eval.ts';
import type { RunSummary } from '../../../protocol/ledger.ts';
import type { Share } from '../../../protocol/score.ts';
import { wilson } from '../../score/statistics/wilson.ts';
import { linkingOf } from '../linking.ts';

/** How well the tables of the prompts were chosen, over the items whose gold says which are needed. */
export interface LinkingReport {
  items: number;
  /** Items with every needed table in the prompt. */
  all_kept: Share;
  /** Needed tables that were kept, of all needed; kept tables that were needed, of all kept. */
  recall: number;
  precision: number;
  mean_kept: number;
  mean_needed: number;
  /** Right answers where every needed table was kept, and where one was missing. */
  right_when_kept: Share;
  right_when_missing: Share;
}

export function linkingReport(totals: RunSummary['linking'], records: readonly ItemRecord[]): LinkingReport | null {
  if (totals === null) return null;
  const { items, all_kept, kept, needed, needed_kept } = totals;
  const judged = records.flatMap((record) => {
    const linking = linkingOf(record);
    if (linking === null || record.outcome === 'gold_failed') return [];
    return [{ complete: linking.needed === linking.neededKept, right: record.outcome === 'right' }];
  });
  const rightWhere = (complete: boolean) => {
    const members = judged.filter((item) => item.complete === complete);
    return wilson(members.filter(({ right }) => right).length, members.length);
  };
  return {
    items,
    all_kept: wilson(all_kept, items),
    recall: needed_kept / needed,
    precision: kept === 0 ? 0 : needed_kept / kept,
    mean_kept: kept / items,
    mean_needed: needed / items,
    right_when_kept: rightWhere(true),
    right_when_missing: rightWhere(false),
  };
}
