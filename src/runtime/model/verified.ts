import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod/mini';
import { makeFolderSync } from '../make-folder.ts';
import { cancelled, fileUnreadable } from './errors.ts';
import type { ModelFile } from './manifest.ts';

/** What was found when a file was hashed; trusted as long as size and time of the file stay. */
const Stamp = z.object({ path: z.string(), bytes: z.number(), mtimeMs: z.number(), sha256: z.string() });
type Stamp = z.infer<typeof Stamp>;

export interface HashOptions {
  onBytes?: ((bytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** SHA-256 of a file, in lower-case hex. @throws AppError `model_file_unreadable`, `cancelled`. */
async function hashFile(path: string, options: HashOptions = {}): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  const stream = createReadStream(path, { highWaterMark: 1 << 20 });
  try {
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      if (options.signal?.aborted) throw cancelled(`Checking ${path}`);
      hash.update(piece);
      bytes += piece.length;
      options.onBytes?.(bytes);
    }
  } catch (error) {
    throw options.signal?.aborted ? error : fileUnreadable(path, error);
  }
  return hash.digest('hex');
}

function stampPath(storage: string, path: string): string {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return join(storage, 'models', 'verified', `${basename(path)}.${name}.json`);
}

/** Size and modification time of a file, or null where there is none. @throws AppError `model_file_unreadable`. */
export async function fileStatus(path: string): Promise<{ bytes: number; mtimeMs: number } | null> {
  try {
    const { size, mtimeMs, isFile } = await stat(path).then((found) => ({ ...found, isFile: found.isFile() }));
    return isFile ? { bytes: size, mtimeMs } : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw fileUnreadable(path, error);
  }
}

/** What was recorded of a file that has not been touched since; null where nothing was. */
async function recordedHash(
  storage: string,
  path: string,
  found: { bytes: number; mtimeMs: number },
): Promise<string | null> {
  try {
    const stamp = Stamp.parse(JSON.parse(await readFile(stampPath(storage, path), 'utf8')));
    const isSame = stamp.path === path && stamp.bytes === found.bytes && stamp.mtimeMs === found.mtimeMs;
    return isSame ? stamp.sha256 : null;
  } catch {
    return null;
  }
}

/** True where `path` was found to be `expected` before and has not been touched since. Reads no content. */
export async function isVerified(storage: string, path: string, expected: ModelFile): Promise<boolean> {
  const found = await fileStatus(path);
  return found?.bytes === expected.bytes && (await recordedHash(storage, path, found)) === expected.sha256;
}

/** Records that `path` holds `sha256` now. Where the storage cannot be written, the next start hashes again. */
export async function recordVerified(storage: string, path: string, sha256: string): Promise<void> {
  const found = await fileStatus(path);
  if (!found) return;
  const stamp: Stamp = { path, ...found, sha256 };
  const target = stampPath(storage, path);
  const temporary = `${target}.${process.pid}`;
  try {
    makeFolderSync(join(storage, 'models', 'verified'));
    await writeFile(temporary, JSON.stringify(stamp));
    await rename(temporary, target);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** The SHA-256 of a file, from what was recorded of it where it has not been touched since. @throws AppError as `hashFile` */
export async function sha256OfFile(storage: string, path: string, options: HashOptions = {}): Promise<string> {
  const found = await fileStatus(path);
  const recorded = found === null ? null : await recordedHash(storage, path, found);
  if (recorded !== null) return recorded;
  const sha256 = await hashFile(path, options);
  await recordVerified(storage, path, sha256);
  return sha256;
}

/** Forgets what was recorded of `path`. */
export async function forgetVerified(storage: string, path: string): Promise<void> {
  await rm(stampPath(storage, path), { force: true });
}

/**
 * Checks a file by size and SHA-256 and records it.
 * @returns null where it is as expected, else what is wrong.
 * @throws AppError `model_file_unreadable`, `cancelled`.
 */
export async function checkFile(
  storage: string,
  path: string,
  expected: ModelFile,
  options: HashOptions = {},
): Promise<string | null> {
  const found = await fileStatus(path);
  if (!found) return 'there is no such file';
  if (found.bytes !== expected.bytes) return `${found.bytes} bytes instead of ${expected.bytes}`;
  const sha256 = await hashFile(path, options);
  if (sha256 !== expected.sha256) return `SHA-256 ${sha256} instead of ${expected.sha256}`;
  await recordVerified(storage, path, sha256);
  return null;
}
