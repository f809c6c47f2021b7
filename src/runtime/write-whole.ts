import { randomBytes } from 'node:crypto';
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/**
 * Writes a text file: whole or not at all, so that a full disk or a crash leaves what stood there before. Links are
 * followed; a device or a pipe is written to as it is.
 * @throws the error of the file system
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const real = await realpath(path).catch(() => path);
  const stats = await stat(real).catch(() => null);
  if (stats !== null && !stats.isFile()) return await writeFile(real, text);
  const temporary = `${real}.${randomBytes(4).toString('hex')}.new`;
  try {
    {
      await using file = await open(temporary, 'wx', stats?.mode);
      await file.writeFile(text);
      await file.sync();
    }
    await rename(temporary, real);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
