/** What a size of models does best with, where it differs from the defaults of all. */
export interface SizeSettings {
  lora?: { r: number; alpha: number };
  optimiser?: { lr: number; betas?: [number, number]; weight_decay?: number };
  schedule?: { warmup: number; end: number };
  length?: { epochs: number };
  data?: { max_length: number };
}

/** What of a model its settings depend on. */
export interface ModelSize {
  parameters: number;
  /** Longest sequence that it was made for, in tokens. */
  maxPositions: number;
}

/** Below these, in parameters. */
const TINY = 20e6;
const SMALL = 0.6e9;
const LARGE = 3e9;

/**
 * Rates, ranks and passes by the size of the model. Small models learn question-SQL pairs best with a high rank and rate
 * and many passes; from 3 billion parameters on a lower rate does better.
 */
function ratesFor(parameters: number): SizeSettings {
  if (parameters < TINY) return { optimiser: { lr: 1e-3 } };
  if (parameters < SMALL)
    return {
      lora: { r: 64, alpha: 128 },
      optimiser: { lr: 1e-3, betas: [0.9, 0.95], weight_decay: 0 },
      schedule: { warmup: 0.03, end: 0.05 },
      length: { epochs: 6 },
    };
  return parameters < LARGE ? {} : { optimiser: { lr: 1.5e-4 } };
}

/** What suits a model where it differs from the defaults of all. @param maxLength the default of `data.max_length` */
export function settingsBySize({ parameters, maxPositions }: ModelSize, maxLength: number): SizeSettings {
  return { ...ratesFor(parameters), data: { max_length: Math.min(maxLength, maxPositions) } };
}
