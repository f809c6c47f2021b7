import type { CheckpointState } from '../run/checkpoint-state.ts';

/** How far a run is: what a checkpoint keeps of it, and a resume goes on from. */
export type Progress = Pick<CheckpointState, 'step' | 'loss' | 'best' | 'totals'> & {
  /** The last evaluation: after which step, and its loss. */
  evaluated: { step: number; loss: number } | null;
};

export const BEGINNING: Progress = {
  step: 0,
  loss: null,
  evaluated: null,
  best: null,
  totals: { tokens: 0, loss_tokens: 0, ms: 0 },
};
