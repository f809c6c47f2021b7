import * as z from 'zod/mini';
import { Signals, StopReason, Turn, VoteGroup } from './ask.ts';
import { Linked } from './catalog.ts';
import { WireError } from './errors.ts';
import { Outcome, RunConfig, RunSummary } from './ledger.ts';
import { QueryStatus } from './query.ts';
import { RowDiff, Share, Verdict } from './score.ts';

/** What is kept of one finished item: a line of `items.jsonl`. Rows are not kept; they come again by running the SQL. */
export const ItemRecord = z.object({
  id: z.string(),
  db_id: z.string(),
  question: z.string(),
  evidence: z.string(),
  gold: z.string(),
  difficulty: z.nullable(z.string()),
  outcome: Outcome,
  /** The answer's SQL; null where there is none. */
  sql: z.nullable(z.string()),
  /** Status of the answer's query; `error` with a provider's code where there was no answer. */
  status: QueryStatus,
  code: z.nullable(z.string()),
  message: z.nullable(z.string()),
  verdict: Verdict,
  /** Where the rows differ, at most 20 rows and 2 KB a list; absent where nothing differs or nothing came back. */
  diff: z.optional(RowDiff),
  stop: StopReason,
  turns: z.array(Turn),
  signals: Signals,
  vote: z.nullable(z.array(VoteGroup)),
  linked: Linked,
  /** Tables that the gold reads; null where it does not run. */
  needed: z.nullable(z.array(z.string())),
  notes: z.array(z.string()),
  promptTokens: z.nullable(z.number()),
  completionTokens: z.nullable(z.number()),
  /** Time of the agent in milliseconds, scoring not counted. */
  ms: z.number(),
});
export type ItemRecord = z.infer<typeof ItemRecord>;

/** `run.json` of a run's folder, written when the run begins; `items.jsonl` stands beside it. */
export const RunFile = z.object({
  version: z.literal(1),
  run_id: z.string(),
  started: z.string(),
  command: z.array(z.string()),
  /** Relative to the run's folder where they can be: to find dataset and databases again. */
  paths: z.object({ dataset: z.string(), databases: z.nullable(z.string()) }),
  config: RunConfig,
  /** The chosen items, in the order of the dataset. */
  ids: z.array(z.string()),
  /** When a resumed run went on, ISO 8601 in UTC, and the milliseconds that it had taken before. */
  resumed: z.optional(z.array(z.object({ at: z.string(), afterMs: z.number() }))),
});
export type RunFile = z.infer<typeof RunFile>;

/** What an evaluation tells as it runs, in order; `eval --jsonl` prints one a line. The last is `ended` or `failed`. */
export const EvalEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('started'),
    run_id: z.string(),
    /** Absolute path of the run's folder. */
    folder: z.string(),
    total: z.number(),
    /** Items that an earlier part of the run finished, and what came of them. */
    resumed: z.number(),
    outcomes: z.optional(z.record(Outcome, z.number())),
    config: RunConfig,
  }),
  z.object({
    type: z.literal('item'),
    record: ItemRecord,
    done: z.number(),
    total: z.number(),
    /** Milliseconds until the end, estimated; null before there is anything to go by. */
    etaMs: z.nullable(z.number()),
    /** The headline metric so far. */
    share: Share,
  }),
  z.object({ type: z.literal('note'), text: z.string() }),
  z.object({ type: z.literal('ended'), state: z.enum(['done', 'stopped']), run_id: z.string(), summary: RunSummary }),
  z.object({ type: z.literal('failed'), error: WireError }),
]);
export type EvalEvent = z.infer<typeof EvalEvent>;
