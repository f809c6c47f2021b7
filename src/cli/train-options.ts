import { MOST_THREADS, TrainingConfig } from '../protocol/training.ts';
import { resultsFolder } from '../runtime/evals/results-folder.ts';
import type { TrainingChoices } from '../runtime/trainer/settings.ts';
import {
  choiceOption,
  fileOption,
  integerOption,
  stringOption,
  UsageError,
  type VerbArgs,
  type VerbContext,
} from './verb.ts';

const MOST = 1_000_000_000;
const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** The options that say what a run is to do. */
export const SFT_OPTIONS = {
  base: text,
  data: text,
  out: text,
  'eval-data': text,
  adapter: text,
  r: text,
  alpha: text,
  lr: text,
  epochs: text,
  steps: text,
  batch: text,
  pack: text,
  'max-length': text,
  device: text,
  threads: text,
  seed: text,
  'eval-every': text,
  'checkpoint-every': text,
  'no-share-prefixes': flag,
  results: text,
  detach: flag,
} as const;

/** A number above 0 from an option. @throws UsageError where it is none */
function positiveOption(args: VerbArgs, name: string): number | undefined {
  const word = stringOption(args, name);
  if (word === undefined) return undefined;
  const value = Number(word);
  if (word.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new UsageError(`--${name} takes a number above 0, not "${word}".`);
  return value;
}

function needed(args: VerbArgs, name: string, what: string): string {
  const word = fileOption(args, name);
  if (word === undefined) throw new UsageError(`train sft needs --${name}: ${what}.`);
  return word;
}

/** What a call of `train sft` wants. @throws UsageError */
export function choicesOf({ env, cwd }: VerbContext, args: VerbArgs): TrainingChoices {
  return {
    base: needed(args, 'base', 'small, coder, a GGUF file or a Hugging Face folder'),
    data: needed(args, 'data', 'a file with one example a line'),
    evalData: fileOption(args, 'eval-data'),
    adapter: fileOption(args, 'adapter'),
    r: integerOption(args, 'r', 1, 1024),
    alpha: positiveOption(args, 'alpha'),
    lr: positiveOption(args, 'lr'),
    epochs: positiveOption(args, 'epochs'),
    steps: integerOption(args, 'steps', 1, MOST),
    batch: integerOption(args, 'batch', 1, MOST),
    pack: integerOption(args, 'pack', 8, MOST),
    maxLength: integerOption(args, 'max-length', 8, MOST),
    device: choiceOption(args, 'device', TrainingConfig.shape.device.options),
    threads: integerOption(args, 'threads', 1, MOST_THREADS),
    seed: integerOption(args, 'seed', 0, MOST),
    evalEvery: integerOption(args, 'eval-every', 1, MOST),
    checkpointEvery: integerOption(args, 'checkpoint-every', 1, MOST),
    sharePrefixes: args.values['no-share-prefixes'] === true ? false : undefined,
    results: resultsFolder(fileOption(args, 'results'), env, cwd),
  };
}
