import * as z from 'zod/mini';
import { Outcome } from './ledger.ts';
import { BinaryMetric, Reason, Share } from './score.ts';

/** One of two compared runs. `share` is over the compared items, not over all of the run. */
export const ComparedRun = z.object({
  run_id: z.string(),
  /** ISO 8601 in UTC. */
  started: z.string(),
  model: z.string(),
  dataset: z.string(),
  /** null: the whole dataset. */
  split: z.nullable(z.string()),
  /** `stopped`: before its end. */
  state: z.enum(['done', 'stopped']),
  /** Items finished in the run. */
  done: z.number(),
  share: Share,
});
export type ComparedRun = z.infer<typeof ComparedRun>;

/** What one run made of an item. `reason` is null where `strict_ex` passes. */
export const Answer = z.object({ sql: z.nullable(z.string()), outcome: Outcome, reason: z.nullable(Reason) });
export type Answer = z.infer<typeof Answer>;

/** An item that one of the runs alone has right. */
export const Flip = z.object({
  id: z.string(),
  db_id: z.string(),
  difficulty: z.nullable(z.string()),
  question: z.string(),
  gold: z.string(),
  a: Answer,
  b: Answer,
});
export type Flip = z.infer<typeof Flip>;

/** The compared items of one database or one difficulty. */
export const ComparedGroup = z.object({
  name: z.string(),
  items: z.number(),
  a: Share,
  b: Share,
  gained: z.number(),
  lost: z.number(),
});
export type ComparedGroup = z.infer<typeof ComparedGroup>;

/** Two runs on the items that both have. "Gained" and "lost" are seen from B: A is before, B after. */
export const Comparison = z.object({
  /** What "right" means here. */
  metric: BinaryMetric,
  a: ComparedRun,
  b: ComparedRun,
  /** The result in plain words. */
  sentence: z.string(),
  items: z.object({
    /** Items of both runs whose gold runs in both: all counts and shares are over these. */
    compared: z.number(),
    /** Left out because the gold failed in either run. */
    gold_failed: z.array(z.string()),
    /** Finished in one run alone. */
    only_a: z.array(z.string()),
    only_b: z.array(z.string()),
    /** The same id with another gold or database: not the same item. */
    other_gold: z.array(z.string()),
  }),
  both_right: z.number(),
  both_wrong: z.number(),
  gained: z.array(Flip),
  lost: z.array(Flip),
  /** Two-sided p value of the exact test of McNemar. */
  p: z.number(),
  /**
   * Share of B minus share of A, from -1 to 1, with the interval of 95 % of a bootstrap clustered by database; `low` and
   * `high` are null where all items are of one database.
   */
  difference: z.object({
    value: z.number(),
    low: z.nullable(z.number()),
    high: z.nullable(z.number()),
    clusters: z.number(),
    resamples: z.number(),
    seed: z.number(),
  }),
  by_database: z.array(ComparedGroup),
  /** Empty where no item names a difficulty. */
  by_difficulty: z.array(ComparedGroup),
  /** Settings in which the runs differ; null where a run has none. */
  settings: z.array(z.object({ name: z.string(), a: z.nullable(z.string()), b: z.nullable(z.string()) })),
  /** What limits the comparison, a sentence each. */
  notes: z.array(z.string()),
});
export type Comparison = z.infer<typeof Comparison>;
