/** The families that the trainer knows. They share one block; `qkvBias` and `qkNorm` tell them apart. */
export type Architecture = 'qwen3' | 'qwen2' | 'llama';

/** Llama 3's stretch of the rotation's low frequencies (`rope_scaling` of type `llama3`). */
export interface RopeScaling {
  factor: number;
  lowFrequencyFactor: number;
  highFrequencyFactor: number;
  originalPositions: number;
}

/** The shape of a model: all that its computation depends on beside the weights. Sizes in elements. */
export interface ModelConfig {
  architecture: Architecture;
  hidden: number;
  layers: number;
  /** Query heads and key-value heads; the second divides the first. */
  heads: number;
  kvHeads: number;
  /** Elements of one head; heads * headDim need not be `hidden`. */
  headDim: number;
  /** Width of the gated feed-forward layer. */
  ffn: number;
  vocab: number;
  /** The output head is the embedding table. */
  tied: boolean;
  ropeTheta: number;
  ropeScaling: RopeScaling | null;
  /**
   * What each of the headDim / 2 frequencies of the rotation is divided by; absent or null: by 1. Readers fill it in for
   * `ropeScaling` too, and a GGUF file knows the factors alone: a computation applies these and does not look at
   * `ropeScaling`.
   */
  ropeFactors?: readonly number[] | null;
  rmsEps: number;
  /** Biases on q, k and v (Qwen2). */
  qkvBias: boolean;
  /** RMSNorm over each head of q and k before the rotation (Qwen3). */
  qkNorm: boolean;
  /** Longest sequence that the model was made for, in tokens. */
  maxPositions: number;
}
