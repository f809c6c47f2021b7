import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Makes a folder and those above it. In place of `mkdir` with `recursive`, which tries for ever where a folder that is
 * there takes no entries, such as `/proc`: it says "no such file", which Node takes for a missing parent.
 *
 * @throws the error of the file system where it cannot be made
 */
export function makeFolderSync(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (isFolder(path)) return;
    const above = dirname(path);
    if (codeOf(error) !== 'ENOENT' || above === path || isFolder(above)) throw error;
    makeFolderSync(above);
    // Another process may have made it meanwhile.
    if (!isFolder(path)) mkdirSync(path);
  }
}
