import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/**
 * Puts a file in place whole or not at all: `fill` writes one with a name of its own beside it, which is synced and renamed.
 * @param fill resolves with false where nothing is to be put in place
 * @throws what `fill` throws, and the errors of the file system; what stood there before is untouched then
 */
export async function fillWhole(
  path: string,
  fill: (file: FileHandle) => Promise<boolean>,
  mode?: number,
): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.new`;
  try {
    let isFilled: boolean;
    {
      await using file = await open(temporary, 'wx', mode);
      isFilled = await fill(file);
      await file.sync();
    }
    await (isFilled ? rename(temporary, path) : rm(temporary));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Writes a text file: whole or not at all, so that a full disk or a crash leaves what stood there before. Links are
 * followed; a device or a pipe is written to as it is.
 * @throws the error of the file system
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const real = await realpath(path).catch(() => path);
  const stats = await stat(real).catch(() => null);
  if (stats !== null && !stats.isFile()) return await writeFile(real, text);
  const fill = async (file: FileHandle) => {
    await file.writeFile(text);
    return true;
  };
  await fillWhole(real, fill, stats?.mode);
}
