import type { ItemRecord } from '../../../protocol/eval.ts';
import type { RunSummary } from '../../../protocol/ledger.ts';
import { median, quantile } from '../../score/statistics/quantile.ts';

/** Times in milliseconds. */
export interface TimeReport {
  /** Wall-clock time of the run. */
  run_ms: number;
  /** Sum over the items: more than `run_ms` where items ran beside each other. */
  items_ms: number;
  /** Of one item; null of no items. */
  median_ms: number | null;
  p95_ms: number | null;
  longest_ms: number | null;
  /** Items from `from_ms` to below `to_ms`, in steps of 1, 2, 5, 10 …; empty steps between others are there. */
  histogram: { from_ms: number; to_ms: number; items: number }[];
}

export function timeReport(
  { ms, item_ms }: Pick<RunSummary, 'ms' | 'item_ms'>,
  records: readonly ItemRecord[],
): TimeReport {
  const times = Float64Array.from(records, (record) => record.ms).sort();
  const some = times.length > 0;
  return {
    run_ms: ms,
    items_ms: item_ms,
    median_ms: some ? median([...times]) : null,
    p95_ms: some ? quantile(times, 0.95) : null,
    longest_ms: times.at(-1) ?? null,
    histogram: histogram(times),
  };
}

function histogram(times: Float64Array): TimeReport['histogram'] {
  const steps = new Map<number, number>();
  for (const time of times) steps.set(stepOf(time), (steps.get(stepOf(time)) ?? 0) + 1);
  if (steps.size === 0) return [];
  const first = Math.min(...steps.keys());
  const last = Math.max(...steps.keys());
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const step = first + index;
    return { from_ms: edge(step), to_ms: edge(step + 1), items: steps.get(step) ?? 0 };
  });
}

const FACTORS = [1, 2, 5] as const;

/** The lower edge of a step: 1 for 0, then 2, 5, 10, 20 …; what takes less than 1 ms is in the step below, from 0. */
function edge(step: number): number {
  return step < 0 ? 0 : (FACTORS[step % 3] ?? 1) * 10 ** Math.floor(step / 3);
}

function stepOf(ms: number): number {
  let step = -1;
  while (edge(step + 1) <= ms) step++;
  return step;
}
