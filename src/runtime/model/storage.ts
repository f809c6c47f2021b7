import { statfs } from 'node:fs/promises';
import { makeFolderSync } from '../make-folder.ts';
import { diskFull, storageUnwritable } from './errors.ts';

/** Code of a file system error, or '' for any other thing. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * What a failed write means to the user: a full disk, a folder that cannot be written, or the error itself where it is
 * none of both.
 */
export function storageError(folder: string, needed: number, error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return diskFull(folder, needed, null);
  if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT'].includes(code))
    return storageUnwritable(folder, error);
  return error;
}

/** Makes a folder of the storage. @throws AppError `storage_unwritable`, `disk_full`. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    makeFolderSync(folder);
  } catch (error) {
    throw storageError(folder, 4096, error);
  }
}

/** @throws AppError `disk_full` where `folder`'s disk has less than `needed` bytes free. */
export async function needSpace(folder: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < needed) throw diskFull(folder, needed, free);
}
