import { spawn } from 'node:child_process';
import { open, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FILES } from '../../protocol/training.ts';
import { makeFolderSync } from '../make-folder.ts';
import { childEnvironment } from '../model/model-process.ts';
import { childEntry } from '../paths.ts';
import { writeWhole } from '../write-whole.ts';
import { folderNotEmpty, folderUnwritable, trainerNotStarted } from './errors.ts';
import { clearFalseStart } from './false-start.ts';
import { identityOf } from './process-identity.ts';
import { LAUNCH_FILE, type LaunchRecord } from './run-files.ts';

/** A trainer that was started. */
export interface Launched {
  folder: string;
  pid: number;
  /** Resolves with how it ended, where this process is still there by then: "exit code 1", "signal SIGKILL". */
  ended: Promise<string>;
}

/** Where and by which words somebody asked for a run: what its record tells, so that the words make it again. */
export interface LaunchedBy {
  /** Absolute path of the folder that the words are typed in. */
  cwd: string;
  command: readonly string[];
}

/** Variable in which the trainer is told the words that a run was asked for with, as a JSON array. */
const COMMAND_VARIABLE = 'SQL_AGENT_TRAIN_COMMAND';

export interface LaunchOptions {
  /** null or left out: the trainer's own call, in the folder of the run. */
  by?: LaunchedBy | null | undefined;
  /** The trainer's program; that of this package by default. */
  program?: string | undefined;
}

/**
 * Makes the directory of a run with its settings.
 * @param folder absolute path; may exist where it is empty, or holds a run that failed before it learned anything
 * @param settings of the run; what is left out the trainer completes
 * @throws AppError `training_folder_taken`, `training_folder_unwritable`
 */
export async function makeRunFolder(folder: string, settings: object): Promise<void> {
  try {
    makeFolderSync(folder);
    const names = await readdir(folder);
    if (names.length > 0 && !(await clearFalseStart(folder, names))) throw folderNotEmpty(folder);
    await writeWhole(join(folder, RUN_FILES.config), `${JSON.stringify(settings, null, 2)}\n`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'training_folder_taken') throw error;
    throw folderUnwritable(folder, error);
  }
}

/** Not by `writeWhole`: the trainer, at work already, removes what looks as if a killed one had left it half-written. */
async function recordLaunch(folder: string, record: LaunchRecord): Promise<void> {
  const path = join(folder, LAUNCH_FILE);
  await writeFile(`${path}.tmp`, `${JSON.stringify(record)}\n`);
  await rename(`${path}.tmp`, path);
}

/**
 * Starts the trainer on a run directory, as a process in a session of its own: it outlives this one, its window and its
 * terminal. What it prints goes behind what stands in `trainer.log`.
 * @throws AppError `trainer_not_started`, `training_folder_unwritable`
 */
export async function launchTrainer(folder: string, options: LaunchOptions = {}): Promise<Launched> {
  const log = await open(join(folder, RUN_FILES.log), 'a').catch((error: unknown) => {
    throw folderUnwritable(folder, error);
  });
  // Before it starts: whatever it says comes later.
  const time = new Date().toISOString();
  try {
    const child = spawn(process.execPath, [options.program ?? childEntry('trainer'), 'train', folder], {
      // Paths are recorded as they are typed from here.
      cwd: options.by?.cwd ?? folder,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log.fd, log.fd],
      env: options.by
        ? { ...childEnvironment(), [COMMAND_VARIABLE]: JSON.stringify(options.by.command) }
        : childEnvironment(),
    });
    const ended = new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('spawn', () => resolve(child.pid ?? 0));
      child.once('error', (error) => reject(trainerNotStarted(error.message)));
    });
    child.unref();
    await recordLaunch(folder, { v: 1, time, process: await identityOf(pid) });
    return { folder, pid, ended };
  } finally {
    await log.close();
  }
}
