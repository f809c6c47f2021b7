import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type ItemRecord, RunFile } from '../../protocol/eval.ts';
import { makeFolderSync } from '../make-folder.ts';
import { errorCode } from '../model/storage.ts';
import { noRun, runDamaged, runUnwritable } from './eval-errors.ts';
import { ITEMS_FILE, readItems } from './eval-items.ts';

/** What a run is about; written when it begins. */
export const RUN_FILE = 'run.json';

/** A path as a run keeps it: relative to its folder, so that both can be moved together. */
export function keptPath(folder: string, path: string): string {
  return relative(folder, path);
}

/** Where dataset and databases of a run lie, as absolute paths. */
export function pathsOfRun(folder: string, { paths }: RunFile): { dataset: string; databases: string | null } {
  return {
    dataset: resolve(folder, paths.dataset),
    databases: paths.databases === null ? null : resolve(folder, paths.databases),
  };
}

/** @throws AppError `run_missing`, `run_damaged` */
export async function readRunFile(folder: string): Promise<RunFile> {
  const path = join(folder, RUN_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) throw noRun(folder);
    throw runDamaged(path, error instanceof Error ? error.message : String(error));
  }
  try {
    return RunFile.parse(JSON.parse(text));
  } catch (error) {
    throw runDamaged(path, error instanceof SyntaxError ? error.message : 'fields are missing or unknown');
  }
}

/**
 * What a run's folder holds, also of a run that is going on or was killed. `notes` says which lines were passed over.
 *
 * @throws AppError `run_missing`, `run_damaged`
 */
export async function readRun(folder: string): Promise<{ file: RunFile; records: ItemRecord[]; notes: string[] }> {
  const file = await readRunFile(folder);
  return { file, ...(await readItems(folder, new Set(file.ids))) };
}

/** Makes a run's folder. @throws AppError `run_unwritable`, `disk_full` */
export function makeRunFolder(folder: string): void {
  try {
    makeFolderSync(folder);
  } catch (error) {
    throw runUnwritable(folder, 0, error);
  }
}

/** Writes `run.json`, whole or not at all. @throws AppError `run_unwritable`, `disk_full` */
export async function writeRunFile(folder: string, file: RunFile): Promise<void> {
  const path = join(folder, RUN_FILE);
  try {
    await writeFile(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`, { flush: true });
    await rename(`${path}.new`, path);
  } catch (error) {
    throw runUnwritable(folder, 0, error);
  }
}

/** Whether a run was begun in a folder. */
export async function hasRun(folder: string): Promise<boolean> {
  return (await stat(join(folder, RUN_FILE)).catch(() => null)) !== null;
}

/** A run in a folder of results. */
export interface FoundRun {
  folder: string;
  file: RunFile;
}

/** The runs of a results folder that can be read, the newest first as far as their folders are named by their ids. */
export async function* eachRun(results: string): AsyncGenerator<FoundRun> {
  const names = await readdir(results).catch(() => []);
  for (const name of names.sort().reverse()) {
    const folder = join(results, name);
    const file = await readRunFile(folder).catch(() => null);
    if (file !== null) yield { folder, file };
  }
}

/** All runs of a results folder that can be read, the newest first. */
export async function listRuns(results: string): Promise<FoundRun[]> {
  const runs: FoundRun[] = [];
  for await (const run of eachRun(results)) runs.push(run);
  return runs.sort((a, b) => b.file.started.localeCompare(a.file.started));
}

/**
 * When the last item of a run was written, in milliseconds since 1970 (where none was, when its last part began), and how
 * long the run took until then: from when its last part began, and those of the parts before, in milliseconds.
 */
export async function timesOf(
  folder: string,
  { started, resumed = [] }: RunFile,
): Promise<{ written: number; takenMs: number }> {
  const last = resumed.at(-1) ?? { at: started, afterMs: 0 };
  const began = Date.parse(last.at);
  const written = (await stat(join(folder, ITEMS_FILE)).catch(() => null))?.mtimeMs ?? began;
  return { written, takenMs: last.afterMs + Math.max(0, written - began) };
}
