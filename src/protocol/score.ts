import * as z from 'zod/mini';
import { QueryStatus } from './query.ts';
import { JsonCell } from './value.ts';

/** The named metrics; see `docs/scoring.md`. */
export const Metric = z.enum(['official_ex', 'strict_ex', 'spider_ex', 'soft_f1', 'r_ves']);
export type Metric = z.infer<typeof Metric>;

/** The metrics of every scoring; `r_ves` takes time on purpose and is measured only when named. */
export const DEFAULT_METRICS: readonly Metric[] = ['official_ex', 'strict_ex', 'spider_ex', 'soft_f1'];

/** The metrics that say right or wrong. */
export const BinaryMetric = z.enum(['official_ex', 'strict_ex', 'spider_ex']);
export type BinaryMetric = z.infer<typeof BinaryMetric>;

/** Why a prediction is not equal to its gold in every respect (under `strict_ex`). */
export const Reason = z.enum([
  /** The gold query does not run, or its result cannot be held: nothing is judged. */
  'gold_failed',
  /** SQLite refused or failed the prediction, or there is none. */
  'pred_failed',
  'timeout',
  /** The sandbox does not allow the prediction. */
  'rejected',
  /** The result of the prediction is larger than can be compared. */
  'truncated',
  'column_count',
  'row_count',
  'row_values',
  'row_order',
  /** The same set of rows, each another number of times: `official_ex` passes. */
  'duplicates_only',
]);
export type Reason = z.infer<typeof Reason>;

/** When the order of rows counts for `strict_ex`. */
export const OrderPolicy = z.enum(['ignore', 'gold_order_by', 'always']);
export type OrderPolicy = z.infer<typeof OrderPolicy>;

/** A prediction beside its gold. */
export const Pair = z.object({ id: z.string(), db_id: z.string(), gold: z.string(), pred: z.string() });
export type Pair = z.infer<typeof Pair>;

/** How a right answer fared on changed copies of its database. */
export const Fragility = z.object({
  /** Copies on which both queries ran. */
  tried: z.number(),
  /** Copies on which the results, equal on the database itself, differ. */
  differ: z.number(),
});
export type Fragility = z.infer<typeof Fragility>;

/**
 * What the metrics say of one pair. A metric that was not asked for is absent; all are null where the gold failed.
 * `reason` is null where `strict_ex` passes. Times in milliseconds; nothing but `ms` and `r_ves` depends on the machine.
 */
export const Verdict = z.object({
  id: z.string(),
  official_ex: z.optional(z.nullable(z.boolean())),
  strict_ex: z.optional(z.nullable(z.boolean())),
  spider_ex: z.optional(z.nullable(z.boolean())),
  /** From 0 to 1. */
  soft_f1: z.optional(z.nullable(z.number())),
  /** The reward of one pair: 0, 0.25, 0.5, 0.75, 1 or 1.25. */
  r_ves: z.optional(z.nullable(z.number())),
  reason: z.nullable(Reason),
  gold_status: QueryStatus,
  pred_status: QueryStatus,
  /** Why gold or prediction failed; absent where both ran. */
  message: z.optional(z.string()),
  /** In a test suite: the file name of the database that decided. */
  database: z.optional(z.string()),
  /** Only where asked for, and only of right answers. */
  fragile: z.optional(Fragility),
  ms: z.number(),
});
export type Verdict = z.infer<typeof Verdict>;

/** How pairs are scored: what belongs to the meaning of a number. */
export const ScoreSettings = z.object({
  metrics: z.array(Metric),
  /** Limit for gold and prediction together (`official_ex`), and for each of them. */
  timeoutMs: z.number(),
  orderPolicy: OrderPolicy,
  /** `spider_ex` with DISTINCT left in. */
  keepDistinct: z.boolean(),
  /** All databases of a folder must agree, as in Spider's test suites. */
  suite: z.boolean(),
  fragile: z.boolean(),
});
export type ScoreSettings = z.infer<typeof ScoreSettings>;

/** A share with its Wilson interval of 95 %. `of` leaves out items whose gold failed. */
export const Share = z.object({ right: z.number(), of: z.number(), low: z.number(), high: z.number() });
export type Share = z.infer<typeof Share>;

/** A row that stands another number of times in one result than in the other. */
export const RowCount = z.object({ row: z.array(JsonCell), gold: z.number(), pred: z.number() });
export type RowCount = z.infer<typeof RowCount>;

/**
 * Where two results differ, row by row under the equality of `strict_ex`, columns by position. Lists may be cut; totals
 * count what was found, in rows.
 */
export const RowDiff = z.object({
  goldColumns: z.array(z.string()),
  predColumns: z.array(z.string()),
  goldRows: z.number(),
  predRows: z.number(),
  /** Rows of the gold that the prediction has not at all. */
  missing: z.array(RowCount),
  /** Rows of the prediction that the gold has not at all. */
  extra: z.array(RowCount),
  /** Rows of both, in another number. */
  recounted: z.array(RowCount),
  totals: z.object({ missing: z.number(), extra: z.number(), recounted: z.number() }),
  /** The same rows in another order. */
  reordered: z.boolean(),
});
export type RowDiff = z.infer<typeof RowDiff>;
