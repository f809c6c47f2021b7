import type { ItemRecord } from '../../../protocol/eval.ts';
import { BinaryMetric, type Share } from '../../../protocol/score.ts';
import { median } from '../../score/statistics/quantile.ts';
import { shareOf } from '../summary.ts';
import { byDifficulty, groupBy } from './group.ts';

/** The items of one database or one difficulty. */
export interface GroupReport {
  name: string;
  /** Finished items, those whose gold fails among them. */
  items: number;
  /** The metrics that the items were scored by, the headline first. */
  shares: { metric: BinaryMetric; share: Share }[];
  /** Answers whose SQL failed or took too long. */
  sql_failed: number;
  median_ms: number;
}

export function groupReports(
  records: readonly ItemRecord[],
  headline: BinaryMetric,
): { by_database: GroupReport[]; by_difficulty: GroupReport[] } {
  const report = ([name, members]: [string, ItemRecord[]]) => groupReport(name, members, headline);
  const databases = [...groupBy(records, ({ db_id }) => db_id)].sort(([a], [b]) => (a < b ? -1 : 1));
  const difficulties = byDifficulty(records, ({ difficulty }) => difficulty);
  return { by_database: databases.map(report), by_difficulty: difficulties.map(report) };
}

function groupReport(name: string, members: readonly ItemRecord[], headline: BinaryMetric): GroupReport {
  const metrics = [headline, ...BinaryMetric.options.filter((metric) => metric !== headline)];
  return {
    name,
    items: members.length,
    shares: metrics.flatMap((metric) => {
      const share = shareOf(members, metric);
      return share === null ? [] : [{ metric, share }];
    }),
    sql_failed: members.filter(({ outcome }) => outcome === 'sql_error' || outcome === 'timeout').length,
    median_ms: median(members.map(({ ms }) => ms)),
  };
}
