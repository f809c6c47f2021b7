import { type FileHandle, lstat } from 'node:fs/promises';
import { AppError } from '../../../protocol/errors.ts';
import { fillWhole } from '../../write-whole.ts';
import { pairsTaken, pairsUnwritable } from '../dataset-errors.ts';

/** @throws AppError `training_pairs_taken` where something stands at the path, whatever it is */
export async function needFreePath(path: string): Promise<void> {
  const taken = await lstat(path).catch(() => null);
  if (taken !== null) throw pairsTaken(path);
}

/** An error of the file system as one of the pairs; others stay. */
function asUnwritable(path: string, error: unknown): unknown {
  const isOfSystem = !(error instanceof AppError) && error instanceof Error && 'syscall' in error;
  return isOfSystem ? pairsUnwritable(path, error.message) : error;
}

async function appendLines(file: FileHandle, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  for await (const line of lines) {
    await file.appendFile(line);
    count += 1;
  }
  return count;
}

/**
 * Writes lines to a file that is not there yet. A call that fails, is cancelled or has no lines leaves nothing.
 * @throws AppError `training_pairs_taken`, `training_pairs_unwritable`, and what `lines` throws
 */
export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  try {
    await fillWhole(path, async (file) => {
      const count = await appendLines(file, lines);
      if (count > 0) await needFreePath(path);
      return count > 0;
    });
  } catch (error) {
    throw asUnwritable(path, error);
  }
}
