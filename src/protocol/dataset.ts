import * as z from 'zod/mini';

/** Forms in which a dataset is published or written. `suite`: our own JSONL, which names each item's database itself. */
export const DatasetFormat = z.enum(['bird', 'spider', 'jsonl', 'csv', 'suite']);
export type DatasetFormat = z.infer<typeof DatasetFormat>;

/** One question of a dataset. */
export const Item = z.object({
  /** Unique in its dataset; the position from 0 where the file names none. */
  id: z.string(),
  db_id: z.string(),
  question: z.string(),
  /** Hint text; '' where there is none. */
  evidence: z.string(),
  gold: z.string(),
  difficulty: z.nullable(z.string()),
  /** Path of the database as a suite file names it, relative to the file's folder; null: it is found by `db_id`. */
  database: z.nullable(z.string()),
  /** Line of the file where the item begins, from 1. */
  line: z.number(),
});
export type Item = z.infer<typeof Item>;

/** A line of a suite file (`*.sql-tests.jsonl`). */
export const SuiteLine = z.object({
  id: z.string(),
  /** Relative to the suite file's folder, with `/`. */
  database: z.string(),
  question: z.string(),
  evidence: z.optional(z.string()),
  sql: z.string(),
  difficulty: z.optional(z.string()),
});
export type SuiteLine = z.infer<typeof SuiteLine>;

/** End of the name of a suite file. */
export const SUITE_ENDING = '.sql-tests.jsonl';

/** A named, hashed list of items. Kept with its siblings in `<dataset without ending>.splits.json`. */
export const Split = z.object({
  name: z.string(),
  /** Never read without `--open-sealed "reason"`. */
  sealed: z.boolean(),
  databases: z.array(z.string()),
  ids: z.array(z.string()),
  /** SHA-256 of the ids, one a line. */
  hash: z.string(),
});
export type Split = z.infer<typeof Split>;

/** The splits of one dataset; no database is in two of them. */
export const SplitFile = z.object({
  version: z.literal(1),
  /** File name and SHA-256 of the dataset that was split. */
  dataset: z.object({ name: z.string(), hash: z.string() }),
  seed: z.number(),
  splits: z.array(Split),
});
export type SplitFile = z.infer<typeof SplitFile>;
