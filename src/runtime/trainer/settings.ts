import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { TrainingConfig } from '../../protocol/training.ts';
import type { FilesOptions } from '../model/model-files.ts';
import { baseModelPath, checkStartAdapter, startAdapterPath } from './base-model.ts';
import { dataMissing } from './errors.ts';

/** What somebody wants of a fine-tuning run. What is left out, the trainer takes from what suits the model. */
export interface TrainingChoices {
  /** Name of a local model, GGUF file or Hugging Face folder. */
  base: string;
  data: string;
  evalData?: string | undefined;
  /** Name of a local model, whose own adapter is meant, PEFT folder or GGUF file. */
  adapter?: string | undefined;
  r?: number | undefined;
  alpha?: number | undefined;
  lr?: number | undefined;
  epochs?: number | undefined;
  steps?: number | undefined;
  /** Examples of one step. */
  batch?: number | undefined;
  /** Most tokens computed at once. */
  pack?: number | undefined;
  maxLength?: number | undefined;
  device?: TrainingConfig['device'] | undefined;
  threads?: number | undefined;
  seed?: number | undefined;
  sharePrefixes?: boolean | undefined;
  /** Steps between two evaluations, and between two checkpoints. */
  evalEvery?: number | undefined;
  checkpointEvery?: number | undefined;
  /** Folder of the ledger; null: none. */
  results?: string | null | undefined;
}

/** The parts of an object that have a value; undefined where none has one. */
function given<T extends object>(parts: T): T | undefined {
  const entries = Object.entries(parts).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as T);
}

async function needData(path: string): Promise<string> {
  await stat(path).catch(() => {
    throw dataMissing(path);
  });
  return path;
}

/**
 * The settings of a run for its `config.json`, with absolute paths; what it names is there.
 * @param storage folder with the local models
 * @param cwd what relative paths are relative to
 * @throws AppError `training_data_missing`, `training_adapter_missing`, `training_adapter_other_base`, those of `baseModelPath`
 */
export async function trainingSettings(
  choices: TrainingChoices,
  storage: string,
  cwd: string,
  options: FilesOptions = {},
): Promise<object> {
  const { evalData, adapter, lr, epochs, steps, results } = choices;
  const file = (path: string) => needData(resolve(cwd, path));
  const train = await file(choices.data);
  const evaluated = evalData === undefined ? undefined : await file(evalData);
  const begun = adapter === undefined ? undefined : await startAdapterPath(adapter, storage, cwd, options);
  if (begun !== undefined) await checkStartAdapter(begun, choices.base);
  const settings = given({
    v: 1,
    algorithm: 'sft',
    model: given({ base: await baseModelPath(choices.base, storage, cwd, options), adapter: begun }),
    data: given({
      train,
      eval: evaluated,
      max_length: choices.maxLength,
      share_prefixes: choices.sharePrefixes,
    }),
    lora: given({ r: choices.r, alpha: choices.alpha ?? (choices.r === undefined ? undefined : 2 * choices.r) }),
    optimiser: given({ lr }),
    batch: given({ pack_tokens: choices.pack, examples: choices.batch }),
    length: given({ epochs, steps }),
    every: given({ eval: choices.evalEvery, checkpoint: choices.checkpointEvery }),
    seed: choices.seed,
    device: choices.device,
    threads: choices.threads,
    results: typeof results === 'string' ? resolve(cwd, results) : results,
  });
  return settings ?? {};
}
