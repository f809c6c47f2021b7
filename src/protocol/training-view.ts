import * as z from 'zod/mini';
import type { Channel } from './channel.ts';

/** What is drawn over the steps of a run. */
export const SERIES = ['loss', 'lr', 'grad_norm', 'tokens_per_s', 'share', 'memory'] as const;
export const SeriesName = z.enum(SERIES);
export type SeriesName = z.infer<typeof SeriesName>;

/**
 * How a run stands: what its trainer says, or `starting` before it has said anything, or `died` where it said no end and is
 * gone.
 */
export const RunState = z.enum([
  'starting',
  'preparing',
  'training',
  'evaluating',
  'saving',
  'done',
  'stopped',
  'failed',
  'died',
]);
export type RunState = z.infer<typeof RunState>;

const floats = z.instanceof(Float64Array<ArrayBufferLike>);

/** Steps in buckets of one width, in order. Values of a bucket without any are NaN. */
export const Buckets = z.object({
  /** Step in the middle of what each bucket holds. */
  steps: floats,
  values: z.record(SeriesName, z.object({ min: floats, max: floats, mean: floats })),
});
export type Buckets = z.infer<typeof Buckets>;

/** `a` is the run that is shown, `b` the one that it is compared with. */
const Side = z.enum(['a', 'b']);
export type Side = z.infer<typeof Side>;

/** Steps from `from` to `to`; a null leaves that end open, so that new steps come in. */
export const StepRange = z.object({ from: z.nullable(z.number()), to: z.nullable(z.number()) });
export type StepRange = z.infer<typeof StepRange>;

const Evaluation = z.object({ step: z.number(), loss: z.number(), accuracy: z.number(), best: z.boolean() });

const Checkpoint = z.object({
  step: z.number(),
  path: z.string(),
  /** Evaluation loss at its step; null where none was measured there. */
  loss: z.nullable(z.number()),
  best: z.boolean(),
});

/** What happened between steps. */
export const TrainingMarks = z.object({
  /** At most a thousand, evenly over all of them. */
  evals: z.array(Evaluation),
  /** Those on the disk: the trainer removes older ones. */
  checkpoints: z.array(Checkpoint),
  notes: z.array(z.object({ step: z.number(), text: z.string() })),
});
export type TrainingMarks = z.infer<typeof TrainingMarks>;

/** How a run stands, in words and numbers. */
export const TrainingFacts = z.object({
  name: z.string(),
  folder: z.string(),
  state: RunState,
  /** What the trainer does now, or how it ended. */
  message: z.string(),
  step: z.number(),
  of: z.nullable(z.number()),
  loss: z.nullable(z.number()),
  etaMs: z.nullable(z.number()),
  /** Lines of facts, a name and a value. */
  facts: z.array(z.object({ name: z.string(), value: z.string(), title: z.nullable(z.string()) })),
  /** The end of what the trainer printed, where the run failed or died; null otherwise. */
  log: z.nullable(z.string()),
  /** The run is done, and its adapter can answer in the editor: its base is a local model. */
  canAnswer: z.boolean(),
  /** Commands that use the adapter of a run that is done, and what each is for. */
  uses: z.array(z.object({ what: z.string(), command: z.string() })),
});
export type TrainingFacts = z.infer<typeof TrainingFacts>;

/** Two configurations side by side: where they differ. */
export const ConfigDifference = z.object({ name: z.string(), a: z.nullable(z.string()), b: z.nullable(z.string()) });
export type ConfigDifference = z.infer<typeof ConfigDifference>;

/** What the view keeps with VS Code, so that its panel is found again after a reload of the window. */
export const TrainingPanelMemory = z.object({
  folder: z.string(),
  other: z.nullable(z.string()),
  /** Steps over which curves are smoothed to a half; 0: not at all. */
  smoothing: z.number(),
});
export type TrainingPanelMemory = z.infer<typeof TrainingPanelMemory>;

/** What the training view asks for and does. */
export const TrainingUp = z.discriminatedUnion('type', [
  /** The view listens: it is told everything. */
  z.strictObject({ type: z.literal('ready') }),
  /** The steps that it shows from here on, in so many buckets at most. */
  z.strictObject({ type: z.literal('range'), range: StepRange, points: z.int().check(z.gte(2), z.lte(10_000)) }),
  z.strictObject({ type: z.literal('stop') }),
  z.strictObject({ type: z.literal('checkpoint') }),
  z.strictObject({ type: z.literal('resume') }),
  /** Makes the adapter answer, and opens the ask panel of a database. */
  z.strictObject({ type: z.literal('ask') }),
  /** Asks over which questions the adapter is evaluated, and does it. */
  z.strictObject({ type: z.literal('evaluate') }),
  z.strictObject({ type: z.literal('openFolder') }),
  z.strictObject({ type: z.literal('openLog') }),
  /** Asks which run this one is compared with. */
  z.strictObject({ type: z.literal('compare') }),
  z.strictObject({ type: z.literal('uncompare') }),
]);
export type TrainingUp = z.infer<typeof TrainingUp>;

/** What the training view is told. */
export const TrainingDown = z.discriminatedUnion('type', [
  z.object({ type: z.literal('facts'), run: Side, facts: TrainingFacts }),
  z.object({ type: z.literal('marks'), run: Side, marks: TrainingMarks }),
  z.object({
    type: z.literal('buckets'),
    run: Side,
    range: StepRange,
    /** Steps of a bucket. */
    width: z.number(),
    /** Buckets of the view that stay; those behind them are replaced by `buckets`. */
    keep: z.number(),
    buckets: Buckets,
  }),
  z.object({ type: z.literal('differences'), differences: z.nullable(z.array(ConfigDifference)) }),
  /** A short message that goes by itself. */
  z.object({ type: z.literal('done'), text: z.string() }),
]);
export type TrainingDown = z.infer<typeof TrainingDown>;

export const trainingChannel: Channel<TrainingUp, TrainingDown> = {
  name: 'training view',
  up: TrainingUp,
  down: TrainingDown,
};
