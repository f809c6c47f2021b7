import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes what was renamed into a folder last through a power cut; where folders cannot be opened, that is not to be had. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/**
 * Puts a file in place whole or not at all: `write` fills a temporary one beside it, which is synced and renamed.
 * @throws what `write` throws, and the errors of the file system; what stood there before is untouched then
 */
export async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.new`;
  try {
    {
      await using file = await open(temporary, 'wx');
      await write(file);
      await file.sync();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}
