import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TrainingRun } from '../../protocol/training.ts';
import { localModelOfHash, readAdapterFile } from '../model/adapter-file.ts';
import { LOCAL_MODELS, type LocalModelName, localModelNamed } from '../model/manifest.ts';
import { type FilesOptions, readyModelFiles } from '../model/model-files.ts';
import { adapterMissing, adapterOfOtherBase, baseMissing, unknownBase } from './errors.ts';

/** Where a word that is no path ends: it is meant as a name. */
const PATH = /[\\/.]/;

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * The file or folder of a base model: the name of a local model, whose file is made ready, or a path.
 * @returns absolute path of a GGUF file or a Hugging Face folder
 * @throws AppError `training_base_unknown`, `training_base_missing`, those of `readyModelFiles`
 */
export async function baseModelPath(
  word: string,
  storage: string,
  cwd: string,
  options: FilesOptions = {},
): Promise<string> {
  const name = localModelNamed(word);
  if (name !== undefined) return (await readyModelFiles(name, storage, options)).base;
  const path = resolve(cwd, word);
  const stats = await stat(path).catch(() => null);
  if (stats?.isFile() || (stats?.isDirectory() && (await isThere(join(path, 'config.json'))))) return path;
  throw PATH.test(word) || stats !== null ? baseMissing(path) : unknownBase(word, LOCAL_MODELS);
}

/**
 * The adapter that a run goes on from: the name of a local model, whose own adapter is meant, or a path.
 * @returns absolute path of a GGUF file or a PEFT folder
 * @throws AppError `training_adapter_missing`, those of `readyModelFiles`
 */
export async function startAdapterPath(
  word: string,
  storage: string,
  cwd: string,
  options: FilesOptions = {},
): Promise<string> {
  const name = localModelNamed(word);
  if (name !== undefined) return (await readyModelFiles(name, storage, options)).adapter;
  const path = resolve(cwd, word);
  if (await isThere(path)) return path;
  throw adapterMissing(path);
}

/**
 * Sees that an adapter of one local model does not start a run on another one, whose layers have other sizes. Where base or
 * adapter are others, the trainer compares them.
 * @throws AppError `training_adapter_other_base`
 */
export async function checkStartAdapter(path: string, base: string): Promise<void> {
  const model = localModelNamed(base);
  if (model === undefined) return;
  const file = await readAdapterFile(path).catch(() => null);
  const own = localModelOfHash(file?.baseHash ?? null);
  if (own !== null && own !== model) throw adapterOfOtherBase(path, own, model);
}

/** The local model whose file a run was trained on, so that it can answer with the adapter; null: another base. */
export function localModelOfBase({ base }: Pick<TrainingRun, 'base'>): LocalModelName | null {
  return localModelOfHash(base.file.sha256);
}
