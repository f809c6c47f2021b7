import { LoraTarget, type TrainingConfig } from '../../protocol/training.ts';

/** What a fine-tuning run needs to be told; all else has a default. Paths are absolute. */
export interface TrainingNeeds {
  /** A GGUF file or a Hugging Face folder. */
  base: string;
  /** JSONL of messages or of pairs. */
  data: string;
}

/** Share of the training examples that are set apart where no data for evaluation is named. */
const HELD_OUT = 0.05;

/**
 * A supervised fine-tuning run as it is where nothing else is said: LoRA on all linear layers at about ten times the rate
 * of full fine-tuning, as "LoRA Without Regret" (Schulman et al. 2025) finds best, cosine to a tenth of it.
 */
export function defaultTrainingConfig({ base, data }: TrainingNeeds): TrainingConfig {
  return {
    v: 1,
    algorithm: 'sft',
    model: { base, adapter: null },
    data: { train: data, eval: null, held_out: HELD_OUT, max_length: 4096, share_prefixes: true },
    lora: { r: 16, alpha: 32, rslora: false, targets: [...LoraTarget.options] },
    optimiser: { lr: 2e-4, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0.01, clip: 1 },
    schedule: { kind: 'cosine', warmup: 0.05, end: 0.1 },
    batch: { pack_tokens: 4096, examples: 16 },
    length: { epochs: 3, steps: null },
    every: { eval: 50, checkpoint: 50 },
    seed: 0,
    device: 'auto',
    threads: null,
    results: null,
  };
}
