import { createHash, randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '../alive.ts';
import { cancelled } from './errors.ts';
import type { ModelFile } from './manifest.ts';
import { makeFolder, needSpace, storageError } from './storage.ts';

/** The part of a file handle that installing needs; injected in tests of a disk that fills up. */
export interface WritableFile {
  write(bytes: Uint8Array): Promise<unknown>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface InstallOptions {
  target: string;
  expected: ModelFile;
  /** The content, in order. What it throws ends the installation. */
  content: AsyncIterable<Uint8Array>;
  /** The error for content that is not as expected. */
  damaged: (reason: string) => Error;
  onBytes?: ((bytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Opens a new file. Default: node:fs. */
  create?: ((path: string) => Promise<WritableFile>) | undefined;
}

const TEMPORARY = '.writing-';

/** Removes what killed processes left half-written of `target`. */
async function removeLeftovers(target: string): Promise<void> {
  const prefix = `${basename(target)}${TEMPORARY}`;
  for (const name of await readdir(dirname(target))) {
    const owner = Number(name.slice(prefix.length).split('-')[0]);
    if (name.startsWith(prefix) && !isAlive(owner)) await rm(join(dirname(target), name), { force: true });
  }
}

/** Writes all content to `file`. @returns SHA-256 and size of what was written. */
async function writeContent(file: WritableFile, options: InstallOptions): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of options.content) {
    if (options.signal?.aborted) throw cancelled(`Writing ${options.target}`);
    bytes += piece.length;
    if (bytes > options.expected.bytes) throw options.damaged(`it is longer than ${options.expected.bytes} bytes`);
    hash.update(piece);
    await file.write(piece);
    options.onBytes?.(bytes);
  }
  await file.sync();
  return { sha256: hash.digest('hex'), bytes };
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * Writes a file that is either whole and as expected, or not there: into a temporary file beside it, checked by size and
 * SHA-256, synced, then renamed.
 * @throws AppError `disk_full`, `storage_unwritable`, `cancelled`, or what `damaged` makes.
 */
export async function installFile(options: InstallOptions): Promise<void> {
  const folder = dirname(options.target);
  await makeFolder(folder);
  await removeLeftovers(options.target);
  await needSpace(folder, options.expected.bytes);
  const temporary = `${options.target}${TEMPORARY}${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const file = await (options.create ?? ((path: string) => open(path, 'wx')))(temporary);
    const written = await writeContent(file, options).finally(() => file.close());
    if (written.bytes !== options.expected.bytes)
      throw options.damaged(`${written.bytes} bytes instead of ${options.expected.bytes}`);
    if (written.sha256 !== options.expected.sha256)
      throw options.damaged(`SHA-256 ${written.sha256} instead of ${options.expected.sha256}`);
    await rename(temporary, options.target);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true });
    throw storageError(folder, options.expected.bytes, error);
  }
}
