import { readdir, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { toWireError } from '../../protocol/errors.ts';
import { RUN_FILES } from '../../protocol/training.ts';
import { runNotFound } from './errors.ts';
import { type RunSnapshot, readSnapshot } from './run-reader.ts';

/** Where training runs lie in a folder of work, unless somebody says otherwise. */
export const RUNS_FOLDER = 'training-runs';

/** A run that was found, and when it last changed, in milliseconds since 1970. */
export interface FoundRun {
  snapshot: RunSnapshot;
  changed: number;
}

/** Runs of a folder, those that changed last first, and what could not be read. */
export interface FoundRuns {
  runs: FoundRun[];
  problems: string[];
}

/** True for a folder that has the settings of a run in it. */
export async function isRunFolder(folder: string): Promise<boolean> {
  return await stat(join(folder, RUN_FILES.config)).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

async function changedAt(folder: string): Promise<number> {
  const times = [RUN_FILES.status, RUN_FILES.config].map((name) => stat(join(folder, name)).catch(() => null));
  return Math.max(0, ...(await Promise.all(times)).map((stats) => stats?.mtimeMs ?? 0));
}

/** Reads runs, without their events. One that cannot be read is told in `problems`. */
export async function readRuns(folders: readonly string[]): Promise<FoundRuns> {
  const runs: FoundRun[] = [];
  const problems: string[] = [];
  for (const folder of folders) {
    try {
      runs.push({ snapshot: await readSnapshot(folder), changed: await changedAt(folder) });
    } catch (error) {
      problems.push(toWireError(error).message);
    }
  }
  return { runs: runs.sort((one, other) => other.changed - one.changed), problems };
}

/** The run directories right below a folder; none where there is no such folder. */
export async function runFoldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const areRuns = await Promise.all(folders.map(isRunFolder));
  return folders.filter((_, index) => areRuns[index]);
}

/**
 * The directory of the run that a word means: a path, the name of a run in `runsFolder`, or `latest`.
 * @throws AppError `training_run_unknown`
 */
export async function findRunFolder(word: string, runsFolder: string, cwd: string): Promise<string> {
  if (word === 'latest') {
    const { runs } = await readRuns(await runFoldersIn(runsFolder));
    const [newest] = runs;
    if (newest === undefined) throw runNotFound(word, runsFolder);
    return newest.snapshot.folder;
  }
  const places = [resolve(cwd, word), ...(isAbsolute(word) || word !== basename(word) ? [] : [join(runsFolder, word)])];
  for (const place of places) if (await isRunFolder(place)) return place;
  throw runNotFound(word, runsFolder);
}
