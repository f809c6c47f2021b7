import type { QueryStatus } from '../../protocol/query.ts';
import { BinaryMetric, type Reason, type Share, type Verdict } from '../../protocol/score.ts';
import { rVes } from '../score/r-ves.ts';
import { wilson } from '../score/statistics/wilson.ts';

/** The numbers of a list of verdicts. */
export interface ScoreSummary {
  pairs: number;
  /** The binary metrics that were measured; pairs whose gold failed under a metric are left out of its share. */
  shares: Partial<Record<BinaryMetric, Share>>;
  /** Means over the pairs whose gold runs; null where not measured. `r_ves` is 100 times the mean of square roots. */
  soft_f1: number | null;
  r_ves: number | null;
  /** Pass `official_ex` and fail `strict_ex`: duplicates or order credited anyway. */
  official_not_strict: number;
  /** How often each reason came, the most frequent first. */
  reasons: Partial<Record<Reason, number>>;
  /** How queries ended that did not run, the most frequent first. */
  failures: { gold: Partial<Record<QueryStatus, number>>; pred: Partial<Record<QueryStatus, number>> };
  /**
   * Right answers that were tried on changed copies, those of them that stopped agreeing, and those that were not tried;
   * null where not asked for.
   */
  fragile: { right: number; differ: number; untried: number } | null;
}

/** Counts verdicts as they come. */
export class ScoreTally {
  #pairs = 0;
  readonly #binary = new Map<BinaryMetric, { right: number; of: number }>();
  readonly #softF1: number[] = [];
  readonly #rewards: number[] = [];
  #officialNotStrict = 0;
  readonly #reasons = new Map<Reason, number>();
  readonly #gold = new Map<QueryStatus, number>();
  readonly #pred = new Map<QueryStatus, number>();
  #fragile: ScoreSummary['fragile'] = null;

  add(verdict: Verdict): void {
    this.#pairs++;
    for (const metric of BinaryMetric.options) this.#addBinary(metric, verdict[metric]);
    if (typeof verdict.soft_f1 === 'number') this.#softF1.push(verdict.soft_f1);
    if (typeof verdict.r_ves === 'number') this.#rewards.push(verdict.r_ves);
    if (verdict.official_ex === true && verdict.strict_ex === false) this.#officialNotStrict++;
    if (verdict.reason !== null) count(this.#reasons, verdict.reason);
    if (verdict.gold_status !== 'ok') count(this.#gold, verdict.gold_status);
    if (verdict.pred_status !== 'ok') count(this.#pred, verdict.pred_status);
    if (verdict.fragile !== undefined) this.#addFragile(verdict.fragile);
  }

  #addBinary(metric: BinaryMetric, passes: boolean | null | undefined): void {
    if (passes === undefined) return;
    const counted = this.#binary.get(metric) ?? { right: 0, of: 0 };
    if (passes !== null) counted.of++;
    if (passes === true) counted.right++;
    this.#binary.set(metric, counted);
  }

  #addFragile({ tried, differ }: { tried: number; differ: number }): void {
    this.#fragile ??= { right: 0, differ: 0, untried: 0 };
    if (tried > 0) this.#fragile.right++;
    else this.#fragile.untried++;
    if (differ > 0) this.#fragile.differ++;
  }

  summary(): ScoreSummary {
    const shares: ScoreSummary['shares'] = {};
    for (const [metric, { right, of }] of this.#binary) shares[metric] = wilson(right, of);
    return {
      pairs: this.#pairs,
      shares,
      soft_f1: this.#softF1.length === 0 ? null : sum(this.#softF1) / this.#softF1.length,
      r_ves: this.#rewards.length === 0 ? null : rVes(this.#rewards),
      official_not_strict: this.#officialNotStrict,
      reasons: ranked(this.#reasons),
      failures: { gold: ranked(this.#gold), pred: ranked(this.#pred) },
      fragile: this.#fragile,
    };
  }
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function ranked<K extends string>(counts: ReadonlyMap<K, number>): Partial<Record<K, number>> {
  const found: Partial<Record<K, number>> = {};
  for (const [key, times] of [...counts].sort(([, one], [, other]) => other - one)) found[key] = times;
  return found;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
