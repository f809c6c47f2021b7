import type { PackedBatch } from '../data/batch.ts';
import type { Adapter } from '../model/adapter.ts';

/** What a micro-batch gave. */
export interface BatchResult {
  /** Natural logarithm of the probability of each target, [loss positions]. */
  logProbs: Float64Array;
  /** How many targets were the most likely token. */
  correct: number;
}

/**
 * A loss as a function of the log-probabilities of a micro-batch's targets.
 * @returns the loss, a part of the global batch's, and its derivative by each log-probability
 */
export type Objective = (logProbs: Float64Array, batch: PackedBatch) => { loss: number; gradient: Float64Array };

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
