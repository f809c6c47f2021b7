import type { TrainingChoices } from '../../runtime/trainer/settings.ts';

/** Options of the command line by the names of the choices. */
const OPTIONS: Record<Exclude<keyof TrainingChoices, 'sharePrefixes'>, string> = {
  base: 'base',
  data: 'data',
  evalData: 'eval-data',
  adapter: 'adapter',
  r: 'r',
  alpha: 'alpha',
  lr: 'lr',
  epochs: 'epochs',
  steps: 'steps',
  batch: 'batch',
  pack: 'pack',
  maxLength: 'max-length',
  device: 'device',
  threads: 'threads',
  seed: 'seed',
  evalEvery: 'eval-every',
  checkpointEvery: 'checkpoint-every',
  results: 'results',
};

/** The words behind `sql-agent` that start a run and follow it. */
export function trainWords(choices: TrainingChoices & { out?: string | undefined }): string[] {
  const named = Object.entries(OPTIONS).flatMap(([name, option]) => {
    const value = choices[name as keyof typeof OPTIONS];
    return value === undefined || value === null ? [] : [`--${option}=${value}`];
  });
  return [
    ...['train', 'sft', ...named],
    ...(choices.out === undefined ? [] : [`--out=${choices.out}`]),
    ...(choices.sharePrefixes === false ? ['--no-share-prefixes'] : []),
  ];
}
