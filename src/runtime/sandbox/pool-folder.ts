import { mkdtempSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '../alive.ts';

const PREFIX = 'sql-agent-sandbox-';
/** A folder younger than this may belong to a program that this one cannot see, e.g. in another container. */
const STALE_MS = 3_600_000;

/** Makes the folder of a pool; its name tells whose it is. */
export function makePoolFolder(parent: string): string {
  return mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
}

/**
 * Removes the folders of pools whose program is gone together with all its children, so that nobody removed them: a
 * whole process tree was killed, or the machine stopped. Never fails.
 */
export async function removeStaleFolders(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const folder = join(parent, name);
    const stats = await stat(folder).catch(() => null);
    if (stats && Date.now() - stats.mtimeMs > STALE_MS)
      await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
