import { createHash } from 'node:crypto';
import * as z from 'zod/mini';

const FileHash = z.object({ sha256: z.string(), bytes: z.number() });

/** What a checkpoint says beside its tensors: `state.json`. All that a resume goes on with and no file of tensors holds. */
export const CheckpointState = z.object({
  v: z.literal(1),
  run_id: z.string(),
  /** Optimiser steps done. */
  step: z.int(),
  /** Passes over the data done, also parts of one. */
  epoch: z.number(),
  /** Examples consumed: the place in the order of examples, which `seed` alone decides. */
  cursor: z.int(),
  seed: z.int(),
  config_hash: z.string(),
  base: z.string(),
  data: z.object({ train: z.string(), eval: z.nullable(z.string()) }),
  /** Loss of the last step; the last evaluation and the best one, each with its step. */
  loss: z.nullable(z.number()),
  evaluated: z.nullable(z.object({ step: z.int(), loss: z.number() })),
  best: z.nullable(z.object({ step: z.int(), loss: z.number() })),
  /** Sums over the steps done: tokens computed, tokens with a loss, and time in milliseconds. */
  totals: z.object({ tokens: z.number(), loss_tokens: z.number(), ms: z.number() }),
  /** The other files of the checkpoint, by name. */
  files: z.record(z.string(), FileHash),
});
export type CheckpointState = z.infer<typeof CheckpointState>;

const Sealed = z.object({ sha256: z.string(), state: z.unknown() });

function hashOf(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('hex');
}

/** The text of `state.json`, with a hash of itself. */
export function sealState(state: CheckpointState): string {
  return `${JSON.stringify({ sha256: hashOf(state), state }, null, 2)}\n`;
}

/** @throws Error saying what is wrong with the text, without its subject */
export function openState(text: string): CheckpointState {
  const { sha256, state } = Sealed.parse(JSON.parse(text));
  if (hashOf(state) !== sha256) throw new Error('state.json was changed after it was written');
  return CheckpointState.parse(state);
}
