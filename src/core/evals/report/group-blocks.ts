import { count, duration, interval, rate } from '../../../protocol/figures.ts';
import type { BinaryMetric } from '../../../protocol/score.ts';
import { type Block, heading, table } from './document.ts';
import type { GroupReport } from './group-report.ts';

/** The accuracy of each group as drawing and table; nothing where there are no groups. */
export function groupBlocks(
  title: string,
  what: 'database' | 'difficulty',
  groups: readonly GroupReport[],
  headline: BinaryMetric,
): Block[] {
  if (groups.length === 0) return [];
  const metrics = [...new Set(groups.flatMap(({ shares }) => shares.map(({ metric }) => metric)))];
  const others = metrics.filter((metric) => metric !== headline);
  const shareOf = ({ shares }: GroupReport, wanted: BinaryMetric) =>
    shares.find(({ metric }) => metric === wanted)?.share ?? { right: 0, of: 0, low: 0, high: 1 };
  const rows = groups.map((group) => [
    what === 'database' ? { code: group.name } : group.name,
    count(group.items),
    rate(shareOf(group, headline)),
    interval(shareOf(group, headline)),
    ...others.map((metric) => rate(shareOf(group, metric))),
    count(group.sql_failed),
    duration(group.median_ms),
  ]);
  const plot = {
    kind: 'intervals',
    title,
    description: `Share of right answers under ${headline} by ${what}, with Wilson intervals of 95 %; the table below has the numbers.`,
    rows: groups.map((group) => ({ label: group.name, share: shareOf(group, headline) })),
  } as const;
  const columns = [what, '#items', `#${headline}`, '#95 % interval', ...others.map((metric) => `#${metric}`)];
  return [heading(title), { kind: 'plot', plot }, table([...columns, '#SQL failed', '#median time'], rows)];
}
