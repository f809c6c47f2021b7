import { mkdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TrainingConfig } from '../../../src/protocol/training.ts';
import { completeConfig } from '../config/complete.ts';
import { configExists } from '../config/errors.ts';
import { dataMissing } from '../data/errors.ts';
import { adapterMissing } from '../io/adapter-errors.ts';
import { modelMissing } from '../io/errors.ts';
import { replaceFile } from '../io/replace-file.ts';
import { runUnwritable } from '../run/errors.ts';
import { runPaths } from '../run/paths.ts';
import { textOption, UsageError, type VerbArgs, type VerbContext, wholeOption } from './verb.ts';

/** Options that write the settings of a new run. */
export const SETTING_OPTIONS = {
  base: { type: 'string' },
  data: { type: 'string' },
  'eval-data': { type: 'string' },
  adapter: { type: 'string' },
  epochs: { type: 'string' },
  steps: { type: 'string' },
  lr: { type: 'string' },
  r: { type: 'string' },
  seed: { type: 'string' },
  device: { type: 'string' },
  threads: { type: 'string' },
  results: { type: 'string' },
} as const;

function numberOption(args: VerbArgs, name: string): number | undefined {
  const text = textOption(args, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new UsageError(`--${name} takes a number, not "${text}".`);
  return value;
}

/** An object without the fields that have no value; undefined where none has one. */
function given(fields: Record<string, unknown>): Record<string, unknown> | undefined {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** The device that an option names. @throws UsageError for another word */
export function deviceOption(args: VerbArgs): TrainingConfig['device'] | undefined {
  const word = textOption(args, 'device');
  const { options } = TrainingConfig.shape.device;
  const device = options.find((known) => known === word);
  if (word !== undefined && device === undefined)
    throw new UsageError(`--device takes one of ${options.join(', ')}, not "${word}".`);
  return device;
}

function settingsOf(args: VerbArgs, cwd: string): Record<string, unknown> {
  const path = (name: string) => {
    const word = textOption(args, name);
    return word === undefined ? undefined : resolve(cwd, word);
  };
  const whole = (name: string, min: number) => wholeOption(args, name, min, Number.MAX_SAFE_INTEGER);
  const r = whole('r', 1);
  const settings = {
    v: 1,
    algorithm: 'sft',
    model: given({ base: path('base'), adapter: path('adapter') }),
    data: given({ train: path('data'), eval: path('eval-data') }),
    lora: given({ r, alpha: r === undefined ? undefined : 2 * r }),
    optimiser: given({ lr: numberOption(args, 'lr') }),
    length: given({ epochs: numberOption(args, 'epochs'), steps: whole('steps', 1) }),
    seed: whole('seed', 0),
    device: deviceOption(args),
    threads: whole('threads', 1),
    results: path('results'),
  };
  return given(settings) ?? {};
}

/** A mistyped path would stay behind in the settings. @throws AppError `model_missing`, `data_missing`, `adapter_missing` */
async function needNamed(args: VerbArgs, cwd: string): Promise<void> {
  const errors = { base: modelMissing, data: dataMissing, 'eval-data': dataMissing, adapter: adapterMissing };
  for (const [name, missing] of Object.entries(errors)) {
    const word = textOption(args, name);
    if (word === undefined) continue;
    const path = resolve(cwd, word);
    if ((await stat(path).catch(() => null)) === null) throw missing(path);
  }
}

/**
 * Makes a run directory with the settings that options name; where none does, nothing is done.
 * @throws UsageError, AppError `config_exists`, `config_invalid`, `model_missing`, `data_missing`, `adapter_missing`,
 *   `run_unwritable`, `disk_full`
 */
export async function writeGivenSettings(folder: string, args: VerbArgs, { cwd }: VerbContext): Promise<void> {
  const options = Object.keys(SETTING_OPTIONS).filter((name) => args.values[name] !== undefined);
  if (options.length === 0) return;
  const { config } = runPaths(folder);
  if (await stat(config).catch(() => null)) throw configExists(config, options);
  for (const name of ['base', 'data'])
    if (!options.includes(name)) throw new UsageError(`A new run needs --base and --data; --${name} is missing.`);
  const settings = settingsOf(args, cwd);
  completeConfig(settings, config, null);
  await needNamed(args, cwd);
  try {
    mkdirSync(folder, { recursive: true });
    await replaceFile(config, (file) => file.writeFile(`${JSON.stringify(settings, null, 2)}\n`));
  } catch (error) {
    throw runUnwritable(config, error, 'Nothing was started.');
  }
}
