import * as z from 'zod/mini';
import { Protocol } from './ask.ts';
import { LinkMode } from './catalog.ts';
import { DatasetFormat } from './dataset.ts';
import { BinaryMetric, ScoreSettings, Share } from './score.ts';
import { HashedFile, TrainingConfig } from './training.ts';

/** What came of one item, failures apart. `right` and `wrong_rows` are by the run's headline metric. */
export const Outcome = z.enum([
  'right',
  'wrong_rows',
  'sql_error',
  'timeout',
  'no_sql',
  'provider_error',
  /** The gold query does not run: left out of every share. */
  'gold_failed',
]);
export type Outcome = z.infer<typeof Outcome>;

/** All that a run's numbers depend on. Two runs with the same configuration ask the same of the same. */
export const RunConfig = z.object({
  dataset: z.object({
    /** File name. */
    name: z.string(),
    format: DatasetFormat,
    /** SHA-256 of the file. */
    hash: z.string(),
  }),
  /** null: the whole dataset. `hash` is the split's. */
  split: z.nullable(z.object({ name: z.string(), hash: z.string() })),
  /** How many items were chosen, of how many, and the SHA-256 of their ids, one a line. */
  items: z.object({ count: z.number(), of: z.number(), hash: z.string() }),
  model: z.object({
    provider: z.string(),
    name: z.string(),
    /** SHA-256 of model and adapter files; null for a server. */
    base: z.nullable(z.string()),
    adapter: z.nullable(z.string()),
    /** What an adapter of the user's is called, for people; absent: the model's own, or a version that did not tell. */
    adapterName: z.optional(z.string()),
    /** Address of a server without credentials; null for a local model. */
    server: z.nullable(z.string()),
  }),
  protocol: Protocol,
  /** Samples that vote, retries of `one_shot` after an error or an empty result, turns of the agent loop. */
  decoding: z.object({
    samples: z.number(),
    retries: z.number(),
    turns: z.number(),
    /** Whether the first retry shows the model its error; absent: no. */
    repair: z.optional(z.boolean()),
  }),
  prompt: z.object({ name: z.string(), link: LinkMode }),
  /** Limit of one query of the agent in milliseconds. */
  timeoutMs: z.number(),
  /** What `right` means in this run. */
  metric: BinaryMetric,
  score: ScoreSettings,
});
export type RunConfig = z.infer<typeof RunConfig>;

/** The numbers of a run. Tokens and times are totals over its items; null where no provider told. */
export const RunSummary = z.object({
  items: z.number(),
  /** Items finished; less than `items` where the run was stopped. */
  done: z.number(),
  outcomes: z.record(Outcome, z.number()),
  /** The binary metrics with their intervals. */
  shares: z.partialRecord(BinaryMetric, Share),
  /** Means over the items whose gold runs; null where not measured. `r_ves` is 100 times the mean of square roots. */
  soft_f1: z.nullable(z.number()),
  r_ves: z.nullable(z.number()),
  /** Pass `official_ex` and fail `strict_ex`: duplicates or order credited anyway. */
  official_not_strict: z.number(),
  /** Right answers that stop agreeing on changed copies, of those tried; null where not asked for. */
  fragile: z.nullable(z.object({ right: z.number(), differ: z.number() })),
  tokens: z.object({ prompt: z.nullable(z.number()), completion: z.nullable(z.number()) }),
  turns: z.number(),
  /** null where no gold says which tables are needed. */
  linking: z.nullable(
    z.object({
      items: z.number(),
      all_kept: z.number(),
      kept: z.number(),
      needed: z.number(),
      needed_kept: z.number(),
    }),
  ),
  /** Wall-clock time of the run and the sum over its items, in milliseconds. */
  ms: z.number(),
  item_ms: z.number(),
});
export type RunSummary = z.infer<typeof RunSummary>;

const common = {
  v: z.literal(1),
  /** When the line was written, ISO 8601 in UTC. */
  time: z.string(),
  /** SHA-256 of the line before, as it stands in the file without its line feed; null for the first. */
  prev: z.nullable(z.string()),
};

/** What a training run came to: `train` lines. Tokens and time are totals over its steps. */
export const TrainingSummary = z.object({
  /** Optimiser steps done, of how many. */
  steps: z.number(),
  of: z.number(),
  /** Of the last step and the last evaluation, in nats a token; null where there was none. */
  loss: z.nullable(z.number()),
  eval_loss: z.nullable(z.number()),
  /** The lowest evaluation loss. */
  best: z.nullable(z.object({ step: z.number(), loss: z.number() })),
  tokens: z.number(),
  loss_tokens: z.number(),
  ms: z.number(),
});
export type TrainingSummary = z.infer<typeof TrainingSummary>;

/** A line of the ledger: an evaluation, the opening of a sealed split, or a training run. */
export const LedgerLine = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('eval'),
    run_id: z.string(),
    /** When the run began, ISO 8601 in UTC. */
    started: z.string(),
    /** `stopped`: by the user, before its end; a later line of the same run replaces this one. */
    state: z.enum(['done', 'stopped']),
    /** The words of the command as typed, without keys. */
    command: z.array(z.string()),
    git: z.nullable(z.object({ commit: z.string(), dirty: z.boolean() })),
    /** Version of this program, Node, platform, number of processors. */
    machine: z.object({ program: z.string(), node: z.string(), platform: z.string(), cpus: z.number() }),
    config: RunConfig,
    summary: RunSummary,
    /** The file of item records, relative to the ledger's folder where it lies in it. */
    output: z.object({ path: z.string(), sha256: z.string(), bytes: z.number() }),
  }),
  z.object({
    ...common,
    kind: z.literal('open_sealed'),
    dataset: z.object({ name: z.string(), hash: z.string() }),
    split: z.object({ name: z.string(), hash: z.string() }),
    reason: z.string(),
    /** The words of the command that opened it. */
    command: z.array(z.string()),
  }),
  z.object({
    ...common,
    kind: z.literal('train'),
    run_id: z.string(),
    started: z.string(),
    /** `stopped` and `failed`: before its end; a later line of the same run replaces this one. */
    state: z.enum(['done', 'stopped', 'failed']),
    command: z.array(z.string()),
    git: z.nullable(z.object({ commit: z.string(), dirty: z.boolean() })),
    machine: z.object({
      program: z.string(),
      node: z.string(),
      platform: z.string(),
      cpus: z.number(),
      /** What computed, for people. */
      device: z.string(),
    }),
    config: TrainingConfig,
    config_hash: z.string(),
    base: z.object({ name: z.string(), architecture: z.string(), parameters: z.number(), file: HashedFile }),
    trained_parameters: z.number(),
    data: z.object({
      train: HashedFile,
      eval: z.nullable(HashedFile),
      examples: z.number(),
      held_out: z.number(),
    }),
    summary: TrainingSummary,
    /** The adapter as a GGUF file, relative to the ledger's folder; null where the run did not reach its end. */
    output: z.nullable(HashedFile),
  }),
]);
export type LedgerLine = z.infer<typeof LedgerLine>;
export type EvalLine = Extract<LedgerLine, { kind: 'eval' }>;
export type TrainLine = Extract<LedgerLine, { kind: 'train' }>;

type WithoutChain<T> = T extends unknown ? Omit<T, 'prev' | 'time' | 'v'> : never;
/** What a writer gives; the ledger adds version, time and chain. */
export type LedgerEntry = WithoutChain<LedgerLine>;
