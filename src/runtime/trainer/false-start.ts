import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FILES } from '../../protocol/training.ts';
import { LAUNCH_FILE } from './run-files.ts';
import { RunReader } from './run-reader.ts';

const { config, run, events, status, control, log } = RUN_FILES;
/** All that a run has which failed before its first step. */
const FILES: readonly string[] = [config, run, events, status, control, log, LAUNCH_FILE];

/** Whether a folder holds a run that failed before it learned anything, as for a bad line of its data, and nothing else. */
async function isFalseStart(folder: string, names: readonly string[]): Promise<boolean> {
  if (!names.includes(config) || names.some((name) => !FILES.includes(name))) return false;
  try {
    const reader = new RunReader(folder);
    const { state } = await reader.read();
    return state === 'failed' && reader.history.steps.length === 0;
  } catch {
    return false;
  }
}

/**
 * Empties a folder of a run that failed before it learned anything, so that the same call works once its cause is put
 * right.
 * @param names what the folder holds
 * @returns whether it is empty now
 */
export async function clearFalseStart(folder: string, names: readonly string[]): Promise<boolean> {
  if (!(await isFalseStart(folder, names))) return false;
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
  return true;
}
