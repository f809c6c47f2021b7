import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import {
  adapterMissing,
  cancelled,
  fileDamaged,
  fileUnreadable,
  notPulled,
  partDamaged,
  partMissing,
} from './errors.ts';
import { installFile, type WritableFile } from './install-file.ts';
import { withLock } from './lock.ts';
import { bundledModels, type LocalModelName, type ModelEntry, type ModelFile, readModelEntry } from './manifest.ts';
import { makeFolder } from './storage.ts';
import { checkFile, fileStatus, isVerified, recordVerified, sha256OfFile } from './verified.ts';

/** Where the checked files of a model lie. */
export interface ModelFiles {
  entry: ModelEntry;
  base: string;
  adapter: string;
  /** Names the weights: the SHA-256 of base and adapter. */
  weights: string;
}

export interface FilesOptions {
  /** Folder of `manifest.json`, parts and adapters. Default: the program's own. */
  folder?: string | undefined;
  /** Path of another adapter for the same base. */
  adapter?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Told what takes a while: joining, checking. */
  onStep?: ((text: string) => void) | undefined;
  /** See `installFile`; for tests. */
  create?: ((path: string) => Promise<WritableFile>) | undefined;
}

/** The file of a model's base in the user's storage. */
export function basePath(entry: ModelEntry, storage: string): string {
  return join(storage, 'models', entry.base.file);
}

/** Folder of the saved states of a model. */
export function statesFolder(storage: string, name: LocalModelName): string {
  return join(storage, 'states', name);
}

/** The adapter that a pull took into the storage, or else the one that came with the program; null where neither is there. */
export async function findAdapter(entry: ModelEntry, storage: string, folder: string): Promise<string | null> {
  for (const path of [join(storage, 'models', entry.adapter.file), join(folder, entry.adapter.file)])
    if (await fileStatus(path)) return path;
  return null;
}

async function* readParts(
  parts: readonly ModelFile[],
  folder: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    const path = join(folder, part.file);
    const hash = createHash('sha256');
    const stream = createReadStream(path, { highWaterMark: 1 << 20 });
    const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    try {
      for (;;) {
        const { value, done } = await pieces.next().catch((error: unknown) => {
          throw fileUnreadable(path, error);
        });
        if (done) break;
        if (signal?.aborted) throw cancelled('Joining the bundled model');
        hash.update(value);
        yield value;
      }
    } finally {
      stream.destroy();
    }
    const sha256 = hash.digest('hex');
    if (sha256 !== part.sha256) throw partDamaged(path, `SHA-256 ${sha256} instead of ${part.sha256}`);
  }
}

/** Cheap look at all parts before anything is written. @throws AppError `model_part_missing`, `model_part_damaged`. */
async function needParts(parts: readonly ModelFile[], folder: string): Promise<void> {
  for (const part of parts) {
    const path = join(folder, part.file);
    const found = await fileStatus(path);
    if (!found) throw partMissing(path);
    if (found.bytes !== part.bytes) throw partDamaged(path, `${found.bytes} bytes instead of ${part.bytes}`);
  }
}

/**
 * Joins the parts of a bundled base into the storage. Safe for several processes at once: one joins, the others wait and
 * find the file.
 */
async function joinBase(entry: ModelEntry, storage: string, folder: string, options: FilesOptions): Promise<void> {
  const { base } = entry;
  if (base.from.kind !== 'parts') return;
  const { parts } = base.from;
  const target = basePath(entry, storage);
  await makeFolder(join(storage, 'models'));
  const join_ = async () => {
    if (await isVerified(storage, target, base)) return;
    options.onStep?.('joining the bundled model (once)');
    await needParts(parts, folder);
    await installFile({
      target,
      expected: base,
      content: readParts(parts, folder, options.signal),
      damaged: (reason) => fileDamaged(target, reason, 'Install the program again.'),
      signal: options.signal,
      create: options.create,
    });
    await recordVerified(storage, target, base.sha256);
  };
  await withLock(`${target}.lock`, join_, { signal: options.signal });
}

async function readyBase(
  name: LocalModelName,
  entry: ModelEntry,
  storage: string,
  folder: string,
  options: FilesOptions,
): Promise<string> {
  const path = basePath(entry, storage);
  if (await isVerified(storage, path, entry.base)) return path;
  const there = (await fileStatus(path)) !== null;
  if (there) {
    options.onStep?.('checking the model file (once)');
    const problem = await checkFile(storage, path, entry.base, { signal: options.signal });
    if (problem === null) return path;
    if (entry.base.from.kind === 'download')
      throw fileDamaged(path, problem, `Fetch it again with "sql-agent model pull ${name}".`);
  }
  if (entry.base.from.kind === 'download') throw notPulled(name);
  await joinBase(entry, storage, folder, options);
  return path;
}

async function readyAdapter(
  name: LocalModelName,
  entry: ModelEntry,
  storage: string,
  folder: string,
  options: FilesOptions,
): Promise<string> {
  const path = await findAdapter(entry, storage, folder);
  if (path === null) throw adapterMissing(name, join(folder, entry.adapter.file));
  if (await isVerified(storage, path, entry.adapter)) return path;
  options.onStep?.('checking the adapter (once)');
  const problem = await checkFile(storage, path, entry.adapter, { signal: options.signal });
  if (problem !== null)
    throw fileDamaged(path, problem, 'Restore it (e.g. "git checkout models") or install the program again.');
  return path;
}

/**
 * The files of a model, checked by SHA-256 once and by size and time after that; a bundled base is joined from its parts
 * on first use.
 * @throws AppError `model_part_missing`, `model_part_damaged`, `model_file_damaged`, `model_not_pulled`,
 * `model_adapter_missing`, `disk_full`, `storage_unwritable`, `cancelled`.
 */
export async function readyModelFiles(
  name: LocalModelName,
  storage: string,
  options: FilesOptions = {},
): Promise<ModelFiles> {
  const folder = options.folder ?? bundledModels;
  const entry = readModelEntry(name, folder);
  const base = await readyBase(name, entry, storage, folder, options);
  const adapter = options.adapter ?? (await readyAdapter(name, entry, storage, folder, options));
  const adapterHash =
    options.adapter === undefined
      ? entry.adapter.sha256
      : await sha256OfFile(storage, adapter, { signal: options.signal });
  return { entry, base, adapter, weights: `${entry.base.sha256}+${adapterHash}` };
}
