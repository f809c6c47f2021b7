import * as z from 'zod/mini';

/** The linear layers of a block that an adapter may change, by their names in Hugging Face's models. */
export const LoraTarget = z.enum(['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']);
export type LoraTarget = z.infer<typeof LoraTarget>;

/** More threads than any machine has cores for; each takes memory whether it has work or not. */
export const MOST_THREADS = 256;
/** Most passes over the data: steps stay countable. */
const MOST_EPOCHS = 1_000_000;

/** What a training run is to do: `config.json` of a run directory, written before the trainer starts. */
export const TrainingConfig = z.object({
  v: z.literal(1),
  algorithm: z.literal('sft'),
  /** Absolute paths of files of this machine. */
  model: z.object({
    /** A GGUF file or a Hugging Face folder. */
    base: z.string(),
    /** The adapter to go on from (PEFT folder or GGUF file); null: a fresh one. */
    adapter: z.nullable(z.string()),
  }),
  data: z.object({
    /** JSONL of messages or of pairs, also gzipped (`.gz`). */
    train: z.string(),
    /** Measured and never trained on; null: `held_out` of the training data. */
    eval: z.nullable(z.string()),
    /** Share of the training examples that are set apart where `eval` is null; 0: no evaluation. */
    held_out: z.number().check(z.gte(0), z.lt(1)),
    /** Most tokens of one example; longer ones are left out and counted. */
    max_length: z.int().check(z.gte(8)),
    /** Compute the schema that examples of one database share once. */
    share_prefixes: z.boolean(),
  }),
  lora: z.object({
    r: z.int().check(z.gte(1), z.lte(1024)),
    alpha: z.number().check(z.gt(0)),
    /** Scale alpha / sqrt(r) instead of alpha / r. */
    rslora: z.boolean(),
    targets: z.array(LoraTarget).check(z.minLength(1)),
  }),
  optimiser: z.object({
    /** Learning rate at its highest. */
    lr: z.number().check(z.gt(0)),
    betas: z.tuple([z.number().check(z.gte(0), z.lt(1)), z.number().check(z.gte(0), z.lt(1))]),
    eps: z.number().check(z.gt(0)),
    weight_decay: z.number().check(z.gte(0)),
    /** Largest L2 norm of the gradient over all adapters; null: not clipped. */
    clip: z.nullable(z.number().check(z.gt(0))),
  }),
  schedule: z.object({
    kind: z.enum(['cosine', 'linear', 'constant']),
    /** Share of the steps in which the rate rises from 0. */
    warmup: z.number().check(z.gte(0), z.lt(1)),
    /** Where it ends, as a share of `lr`. */
    end: z.number().check(z.gte(0), z.lte(1)),
  }),
  batch: z.object({
    /** Most tokens computed at once: the length of one pack. */
    pack_tokens: z.int().check(z.gte(8)),
    /** Examples of one optimiser step. */
    examples: z.int().check(z.gte(1)),
  }),
  length: z.object({
    /** Passes over the data, also parts of one. */
    epochs: z.number().check(z.gt(0), z.lte(MOST_EPOCHS)),
    /** Most optimiser steps; null: as the epochs say. */
    steps: z.nullable(z.int().check(z.gte(1))),
  }),
  /** Steps between two evaluations and between two checkpoints; both also happen at the end. */
  every: z.object({ eval: z.int().check(z.gte(1)), checkpoint: z.int().check(z.gte(1)) }),
  seed: z.int().check(z.gte(0)),
  device: z.enum(['auto', 'cpu', 'cuda']),
  /** Threads of the CPU; null: one a core. */
  threads: z.nullable(z.int().check(z.gte(1), z.lte(MOST_THREADS))),
  /** Folder of the ledger that the run is written into; null: none. */
  results: z.nullable(z.string()),
});
export type TrainingConfig = z.infer<typeof TrainingConfig>;

/** A process that may have ended and whose number another may have by now: both fields tell it apart. */
export const ProcessIdentity = z.object({
  pid: z.int(),
  /** When it started, in the words of the operating system; null where that is not told. */
  start: z.nullable(z.string()),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/** A file that a run depends on, with its SHA-256. */
export const HashedFile = z.object({ path: z.string(), sha256: z.string(), bytes: z.number() });
export type HashedFile = z.infer<typeof HashedFile>;

/** `run.json`: what is running, written by the trainer before the first step and again at each resume. */
export const TrainingRun = z.object({
  v: z.literal(1),
  run_id: z.string(),
  /** When the run first began, ISO 8601 in UTC. */
  started: z.string(),
  config: TrainingConfig,
  /** SHA-256 of the configuration; a resume with another one is refused. */
  config_hash: z.string(),
  command: z.array(z.string()),
  process: ProcessIdentity,
  machine: z.object({
    host: z.string(),
    program: z.string(),
    node: z.string(),
    platform: z.string(),
    cpus: z.number(),
    /** The device that computes, for people: "CPU, 2 threads" or a GPU's name. */
    device: z.string(),
    /** Its peak in FLOP/s: its speed of matrix products, measured at the start. */
    peak_flops: z.nullable(z.number()),
  }),
  base: z.object({
    name: z.string(),
    architecture: z.string(),
    parameters: z.number(),
    trained_parameters: z.number(),
    file: HashedFile,
    /** SHA-256 of tokenizer and chat template; absent in runs of versions that did not tell it. */
    tokenizer: z.optional(z.string()),
  }),
  data: z.object({
    train: HashedFile,
    eval: z.nullable(HashedFile),
    examples: z.number(),
    held_out: z.number(),
    left_out: z.number(),
    tokens: z.number(),
    loss_tokens: z.number(),
  }),
  steps: z.number(),
});
export type TrainingRun = z.infer<typeof TrainingRun>;

/** A line of `events.jsonl`, oldest first. `time` is ISO 8601 in UTC. */
export const TrainingEvent = z.discriminatedUnion('kind', [
  /** The trainer took the run up, for the first time (`step` 0) or again after `step`. Later steps written before are void. */
  z.object({ kind: z.literal('start'), time: z.string(), step: z.number(), of: z.number() }),
  z.object({
    kind: z.literal('step'),
    time: z.string(),
    step: z.number(),
    epoch: z.number(),
    /** Mean cross-entropy in nats over the loss tokens of the global batch. */
    loss: z.number(),
    lr: z.number(),
    /** L2 norm before clipping. */
    grad_norm: z.number(),
    /** Tokens computed, those of the plain form (without shared prefixes), those with a loss. */
    tokens: z.number(),
    plain_tokens: z.number(),
    loss_tokens: z.number(),
    /** Computed tokens a second. */
    tokens_per_s: z.number(),
    /**
     * Share of the device's peak that the step's useful FLOP a second reach; null where the peak is unknown. The peak is the
     * highest speed seen: of matrix products at the start, or of a step since, so that it is never above 1.
     */
    share: z.nullable(z.number()),
    /** Bytes that the trainer holds on its device. */
    memory: z.number(),
    ms: z.number(),
  }),
  z.object({
    kind: z.literal('eval'),
    time: z.string(),
    step: z.number(),
    loss: z.number(),
    /** Share of the loss tokens that are the most likely one. */
    accuracy: z.number(),
    loss_tokens: z.number(),
    /** Lowest evaluation loss so far. */
    best: z.boolean(),
    ms: z.number(),
  }),
  z.object({
    kind: z.literal('checkpoint'),
    time: z.string(),
    step: z.number(),
    /** Folder relative to the run directory. */
    path: z.string(),
    best: z.boolean(),
  }),
  z.object({ kind: z.literal('note'), time: z.string(), step: z.number(), text: z.string() }),
  z.object({
    kind: z.literal('end'),
    time: z.string(),
    step: z.number(),
    state: z.enum(['done', 'stopped', 'failed']),
    message: z.string(),
  }),
]);
export type TrainingEvent = z.infer<typeof TrainingEvent>;
export type StepEvent = Extract<TrainingEvent, { kind: 'step' }>;
export type EvalEvent = Extract<TrainingEvent, { kind: 'eval' }>;

/** `status.json`: replaced by rename every two seconds, the heartbeat of the trainer. */
export const TrainingStatus = z.object({
  v: z.literal(1),
  time: z.string(),
  process: ProcessIdentity,
  state: z.enum(['preparing', 'training', 'evaluating', 'saving', 'done', 'stopped', 'failed']),
  /** What it does now or how it ended, a sentence. */
  message: z.string(),
  step: z.number(),
  /** null before the data is read. */
  of: z.nullable(z.number()),
  loss: z.nullable(z.number()),
  eta_s: z.nullable(z.number()),
  memory: z.number(),
});
export type TrainingStatus = z.infer<typeof TrainingStatus>;

/** Names in a run directory. */
export const RUN_FILES = {
  config: 'config.json',
  run: 'run.json',
  events: 'events.jsonl',
  status: 'status.json',
  /** A file `stop` or `checkpoint` in here is a wish; the trainer takes it away when it has done it. */
  control: 'control',
  checkpoints: 'checkpoints',
  lock: 'lock',
  /** What the trainer printed. */
  log: 'trainer.log',
  /** The adapter at the end, as a PEFT folder and as a GGUF file. */
  adapter: 'adapter',
  adapterGguf: 'adapter.gguf',
  /** Examples, tokens and losses of the step at which a run failed. */
  failedStep: 'failed-step.json',
} as const;
