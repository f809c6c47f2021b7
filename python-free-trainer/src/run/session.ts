import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrainingEvent } from '../../../src/protocol/training.ts';
import { identityOf } from '../../../src/runtime/trainer/process-identity.ts';
import { Checkpoints } from './checkpoints.ts';
import { Control } from './control.ts';
import { runMoved, runUnwritable } from './errors.ts';
import { EventLog } from './events.ts';
import { Heartbeat } from './heartbeat.ts';
import { lockRun } from './lock.ts';
import type { RunPaths } from './paths.ts';

/** A run directory that this process has taken: nobody else writes into it until `close`. */
export interface Session {
  paths: RunPaths;
  events: EventLog;
  heartbeat: Heartbeat;
  control: Control;
  checkpoints: Checkpoints;
  /** Asked before something is written by its path. @throws AppError `run_moved` where the directory is no longer this process's */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Takes a run directory: lock, heartbeat, events (a torn last line is cut off), wishes of earlier times dropped, what a
 * killed trainer left half-written removed.
 *
 * @param onEvent told every event that is written
 * @throws AppError `run_locked`, `run_unwritable`, `disk_full`
 */
export async function openSession(paths: RunPaths, onEvent: (event: TrainingEvent) => void): Promise<Session> {
  const { isHeld, release } = await lockRun(paths);
  try {
    const process = await identityOf(globalThis.process.pid);
    const events = new EventLog(paths.events, onEvent);
    const control = makeControl(paths.control);
    const checkpoints = new Checkpoints(paths.checkpoints);
    await makeFolder(paths.checkpoints);
    await checkpoints.tidy();
    await removeLeftovers(paths.folder);
    const status = { process, state: 'preparing', message: 'Reading the settings.', step: 0 } as const;
    const heartbeat = new Heartbeat(paths.status, { ...status, of: null, loss: null, eta_s: null, memory: 0 });
    return {
      paths,
      events,
      heartbeat,
      control,
      checkpoints,
      check: async () => {
        if (!(await isHeld())) throw runMoved(paths.folder);
      },
      close: async () => {
        events.close();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Files that a killed trainer had not put in place yet. */
const LEFTOVER = /^(?!lock)[\w.-]+\.[0-9a-f]{8}\.new$/;

async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names)
    if (LEFTOVER.test(name)) await rm(join(folder, name), { force: true }).catch(() => undefined);
}

function makeControl(folder: string): Control {
  try {
    return new Control(folder);
  } catch (error) {
    throw runUnwritable(folder, error, 'Nothing was started.');
  }
}

/** Made before anything is trained, so that what is in its place is no surprise after hours. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw runUnwritable(folder, error, 'Nothing was started.');
  }
}
