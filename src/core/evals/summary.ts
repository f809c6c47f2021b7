import type { ItemRecord } from '../../protocol/eval.ts';
import { Outcome, type RunSummary } from '../../protocol/ledger.ts';
import { BinaryMetric, type Share } from '../../protocol/score.ts';
import { rVes } from '../score/r-ves.ts';
import { wilson } from '../score/statistics/wilson.ts';
import { linkingSummary } from './linking.ts';

/** How many items pass a metric, of those whose gold runs. null where the metric was not measured. */
export function shareOf(records: readonly ItemRecord[], metric: BinaryMetric): Share | null {
  const verdicts = records.map(({ verdict }) => verdict[metric]).filter((passes) => typeof passes === 'boolean');
  return verdicts.length === 0 ? null : wilson(verdicts.filter(Boolean).length, verdicts.length);
}

/** How many items came to what. */
export function outcomeCounts(records: readonly ItemRecord[]): RunSummary['outcomes'] {
  const count = (wanted: Outcome) => records.filter(({ outcome }) => outcome === wanted).length;
  const counted = Outcome.options.map((outcome) => [outcome, count(outcome)] as const);
  return Object.fromEntries(counted) as RunSummary['outcomes'];
}

function numbersOf(records: readonly ItemRecord[], of: (record: ItemRecord) => number | null | undefined): number[] {
  return records.map(of).filter((value) => typeof value === 'number');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function fragility(records: readonly ItemRecord[]): RunSummary['fragile'] {
  const tried = records.map(({ verdict }) => verdict.fragile).filter((one) => one !== undefined && one.tried > 0);
  if (!records.some(({ verdict }) => verdict.fragile !== undefined)) return null;
  return { right: tried.length, differ: tried.filter((one) => one !== undefined && one.differ > 0).length };
}

/**
 * The numbers of a run.
 *
 * @param total items that were chosen
 * @param ms wall-clock time of the run in milliseconds
 */
export function summarise(records: readonly ItemRecord[], total: number, ms: number): RunSummary {
  const shares = BinaryMetric.options.map((metric) => [metric, shareOf(records, metric)] as const);
  const softF1 = numbersOf(records, ({ verdict }) => verdict.soft_f1);
  const rewards = numbersOf(records, ({ verdict }) => verdict.r_ves);
  const prompt = numbersOf(records, ({ promptTokens }) => promptTokens);
  const completion = numbersOf(records, ({ completionTokens }) => completionTokens);
  return {
    items: total,
    done: records.length,
    outcomes: outcomeCounts(records),
    shares: Object.fromEntries(shares.filter(([, share]) => share !== null)) as RunSummary['shares'],
    soft_f1: softF1.length === 0 ? null : sum(softF1) / softF1.length,
    r_ves: rewards.length === 0 ? null : rVes(rewards),
    official_not_strict: records.filter(({ verdict }) => verdict.official_ex === true && verdict.strict_ex === false)
      .length,
    fragile: fragility(records),
    tokens: {
      prompt: prompt.length === 0 ? null : sum(prompt),
      completion: completion.length === 0 ? null : sum(completion),
    },
    turns: sum(records.map(({ turns }) => turns.length)),
    linking: linkingSummary(records),
    ms,
    item_ms: sum(records.map((record) => record.ms)),
  };
}
