import * as z from 'zod/mini';
import { TrainingConfig } from '../../protocol/training.ts';
import { TRAIN_TASK } from '../ids.ts';

const positive = z.number().check(z.gt(0));
const whole = (min: number) => z.int().check(z.gte(min));

/** A task of tasks.json: what `sql-agent train sft` is called with. Paths may be relative to the workspace folder. */
export const TrainTask = z.object({
  type: z.literal(TRAIN_TASK),
  base: z.string(),
  data: z.string(),
  out: z.optional(z.string()),
  evalData: z.optional(z.string()),
  adapter: z.optional(z.string()),
  r: z.optional(whole(1)),
  alpha: z.optional(positive),
  lr: z.optional(positive),
  epochs: z.optional(positive),
  steps: z.optional(whole(1)),
  batch: z.optional(whole(1)),
  pack: z.optional(whole(8)),
  maxLength: z.optional(whole(8)),
  device: z.optional(TrainingConfig.shape.device),
  threads: z.optional(whole(1)),
  seed: z.optional(whole(0)),
  evalEvery: z.optional(whole(1)),
  checkpointEvery: z.optional(whole(1)),
  sharePrefixes: z.optional(z.boolean()),
  results: z.optional(z.string()),
});
export type TrainTask = z.infer<typeof TrainTask>;
