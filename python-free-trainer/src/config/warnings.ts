import { counted } from '../../../src/protocol/figures.ts';
import type { TrainingConfig } from '../../../src/protocol/training.ts';

/** What a warning may depend on beside the settings. */
export interface RunFacts {
  parameters: number;
  /** Longest sequence that the model was made for, in tokens. */
  maxPositions: number;
  examples: number;
  /** Tokens of the longest example. */
  longest: number;
  steps: number;
  /** Bytes that a step needs at least, and those that the machine has; `null` where the model is computed elsewhere. */
  memory: { needed: number; there: number } | null;
}

/** Rates up to here are those of full fine-tuning; LoRA takes about ten times as much (Schulman et al. 2025). */
const FULL_TUNING_RATE = 3e-5;
/** Above it, adapters of models from 0.6 billion parameters on often diverge. */
const HIGH_RATE = 1e-3;
const HIGH_RATE_PARAMETERS = 0.6e9;

function rateWarnings({ optimiser, schedule }: TrainingConfig, { parameters, steps }: RunFacts): string[] {
  const { lr } = optimiser;
  const found: string[] = [];
  if (lr <= FULL_TUNING_RATE)
    found.push(
      `A learning rate of ${lr} is one for full fine-tuning; an adapter hardly learns with it. Usual are 1e-4 to 1e-3 ("optimiser.lr").`,
    );
  if (lr > HIGH_RATE && parameters >= HIGH_RATE_PARAMETERS)
    found.push(`A learning rate of ${lr} is high for a model of this size; training may diverge ("optimiser.lr").`);
  if (schedule.warmup * steps < 1 && schedule.warmup > 0)
    found.push(
      `With ${counted(steps, 'step')} the warm-up is shorter than one step, so that there is none ("schedule.warmup").`,
    );
  return found;
}

function lengthWarnings({ data, batch }: TrainingConfig, facts: RunFacts): string[] {
  const found: string[] = [];
  if (data.max_length > facts.maxPositions)
    found.push(
      `"data.max_length" is ${data.max_length}, and the model was made for ${facts.maxPositions} tokens; it may not understand longer texts.`,
    );
  if (batch.examples > facts.examples)
    found.push(`One step takes ${batch.examples} examples, more than the ${facts.examples} that there are.`);
  if (batch.pack_tokens < facts.longest)
    found.push(
      `The longest example has ${facts.longest} tokens, more than a pack of ${batch.pack_tokens}; it makes a pack of its own ("batch.pack_tokens").`,
    );
  return found;
}

const GIGABYTE = 1e9;

function memoryWarnings({ batch }: TrainingConfig, { memory }: RunFacts): string[] {
  if (memory === null || memory.needed <= memory.there) return [];
  const [needed, there] = [memory.needed, memory.there].map((bytes) => (bytes / GIGABYTE).toFixed(1));
  return [
    `A step on packs of ${batch.pack_tokens} tokens needs at least ${needed} GB, and this machine has ${there} GB: it may be ended for want of memory. Smaller packs need less ("batch.pack_tokens").`,
  ];
}

/** What is allowed and probably not meant, a sentence each. */
export function configWarnings(config: TrainingConfig, facts: RunFacts): string[] {
  return [...rateWarnings(config, facts), ...lengthWarnings(config, facts), ...memoryWarnings(config, facts)];
}
