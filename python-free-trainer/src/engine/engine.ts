import type { PackedBatch } from '../data/batch.ts';
import type { Adapter } from '../model/adapter.ts';

/** What a micro-batch gave. */
export interface BatchResult {
  /** Natural logarithm of the probability of each target, [loss positions]. */
  logProbs: Float64Array;
  /** How many targets were the most likely token. */
  correct: number;
}

/** A loss, a part of the global batch's, and its derivative by each log-probability. */
export interface ObjectiveValue {
  loss: number;
  gradient: Float64Array;
}

/** A loss as a function of the log-probabilities of a micro-batch's targets. */
export interface Objective {
  (logProbs: Float64Array, batch: PackedBatch): ObjectiveValue;
  /** The derivative, where it does not depend on the log-probabilities: then the output head is computed once, not twice. */
  constantGradient?: (batch: PackedBatch) => Float64Array;
}

/**
 * What of a block is computed again on the way back: nothing; what costs no matrix product (norms, the rotation, the gating);
 * gate and up too; or all of it from its input.
 */
export type RecomputeMode = 'none' | 'cheap' | 'mlp' | 'block';

export interface UpdateSettings {
  lr: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
  /** Largest L2 norm of the gradient; null: not clipped. */
  clip: number | null;
}

/** All that a resume needs of the optimiser: same shapes and order as the adapter's pairs, a then b. */
export interface OptimiserState {
  /** Updates made so far. */
  step: number;
  firstMoments: Float32Array[];
  secondMoments: Float32Array[];
}

export interface EngineInfo {
  device: 'cpu' | 'cuda';
  /** For people: "CPU, 2 threads". */
  name: string;
  /** Measured in a second at the start; null where it was not. */
  peakFlops: number | null;
  parameters: number;
  trainedParameters: number;
  /** Why it is not the device that was hoped for, a sentence. */
  note?: string;
}

/** A model with an adapter that learns, on some device. One call at a time. */
export interface Engine {
  readonly info: EngineInfo;
  /**
   * Forward and backward of one micro-batch; adds to the gradients. `temperature` (1 where left out) divides the logits.
   * @throws AppError `non_finite_loss`, with nothing added
   */
  accumulate(
    batch: PackedBatch,
    objective: Objective,
    options?: { temperature?: number },
  ): Promise<BatchResult & { loss: number }>;
  /** Forward only; `adapter: false` for the base model (the reference of DPO). */
  evaluate(batch: PackedBatch, options?: { adapter?: boolean; temperature?: number }): Promise<BatchResult>;
  /**
   * Clips, takes one AdamW step with the gradients and clears them.
   * @returns the norm before clipping @throws AppError `non_finite_gradient`, with nothing changed
   */
  update(settings: UpdateSettings): Promise<{ gradNorm: number }>;
  /**
   * Lays out the device's memory for packs of at most so many tokens, so that it runs out now or never, and decides what is
   * computed again on the way back. @returns the plan as a table; null where memory is not planned
   * @throws AppError `gpu_memory`
   */
  plan?(packTokens: number): Promise<string | null>;
  /** Useful floating-point operations of forward and backward of a batch, without recomputation. */
  flops(batch: PackedBatch): number;
  /** Copies of the state; exact: what is put back with `restore` goes on bit for bit. */
  adapter(): Promise<Adapter>;
  optimiser(): Promise<OptimiserState>;
  restore(adapter: Adapter, optimiser: OptimiserState): Promise<void>;
  /** Bytes held on the device now. */
  memory(): number;
  close(): Promise<void>;
}
