import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { TrainingHistory } from '../../core/training/history.ts';
import { RUN_FILES, type TrainingEvent, type TrainingRun, type TrainingStatus } from '../../protocol/training.ts';
import type { RunState } from '../../protocol/training-view.ts';
import { EventsTail } from './events-tail.ts';
import { isSameProcess } from './process-identity.ts';
import {
  type GivenConfig,
  type LaunchRecord,
  readGivenConfig,
  readLaunch,
  readTrainingRun,
  readTrainingStatus,
} from './run-files.ts';

/** A heartbeat comes every two seconds; one this old says that none comes any more, unless the process is there. */
const OLD_MS = 6000;
/** On another machine there is no process to look for: the heartbeat alone says it, with room for a slow network disk. */
const OLD_ELSEWHERE_MS = 60_000;
/** How long a trainer that was started by hand may take to say something. */
const START_MS = 30_000;

/** A run as its directory says it. */
export interface RunSnapshot {
  folder: string;
  state: RunState;
  /** A sentence. */
  message: string;
  /** What was asked; `run.config` has all settings. */
  given: GivenConfig;
  /** null before the trainer has looked at model and data. */
  run: TrainingRun | null;
  /** null before its first heartbeat. */
  status: TrainingStatus | null;
}

async function ageOf(path: string): Promise<number> {
  const { mtimeMs } = await stat(path);
  return Date.now() - mtimeMs;
}

const isEnd = (status: TrainingStatus) => ['done', 'stopped', 'failed'].includes(status.state);

/** Whether the trainer that wrote a heartbeat is gone. */
async function isGone(folder: string, { process }: TrainingStatus, run: TrainingRun | null): Promise<boolean> {
  const age = await ageOf(join(folder, RUN_FILES.status));
  if (run !== null && run.machine.host !== hostname()) return age > OLD_ELSEWHERE_MS;
  // One of the future was written before the clock was set back.
  return Math.abs(age) > OLD_MS && !(await isSameProcess(process));
}

type Standing = Pick<RunSnapshot, 'state' | 'message'>;

/** How a run stands whose trainer has not said anything since it was started. */
async function standingOfLaunch(folder: string, launch: LaunchRecord | null): Promise<Standing> {
  const isThere =
    launch === null ? (await ageOf(join(folder, RUN_FILES.config))) <= START_MS : await isSameProcess(launch.process);
  if (isThere) return { state: 'starting', message: 'The trainer is starting.' };
  return { state: 'died', message: 'The trainer ended before it said anything.' };
}

/** Whether a trainer was started after the heartbeat. One that is there was, whatever a clock that was set back says. */
async function isLater({ process, time }: LaunchRecord, status: TrainingStatus): Promise<boolean> {
  if (process.pid === status.process.pid && process.start === status.process.start) return false;
  return time > status.time || (await isSameProcess(process));
}

async function standingOf(
  folder: string,
  status: TrainingStatus | null,
  run: TrainingRun | null,
  launch: LaunchRecord | null,
): Promise<Standing> {
  if (status === null || (launch !== null && (await isLater(launch, status))))
    return await standingOfLaunch(folder, launch);
  if (isEnd(status) || !(await isGone(folder, status, run))) return { state: status.state, message: status.message };
  return { state: 'died', message: `The trainer ended without saying how, after step ${status.step}.` };
}

/**
 * How a run stands now, without its events.
 * @throws AppError `training_run_missing`, `training_run_damaged`
 */
export async function readSnapshot(folder: string): Promise<RunSnapshot> {
  const [given, run, status, launch] = await Promise.all([
    readGivenConfig(folder),
    readTrainingRun(folder),
    readTrainingStatus(folder),
    readLaunch(folder),
  ]);
  return { folder, given, run, status, ...(await standingOf(folder, status, run, launch)) };
}

/** Reads a run directory again and again; of its events only what is new. */
export class RunReader {
  readonly folder: string;
  readonly #tail: EventsTail;
  readonly #onEvent: (event: TrainingEvent) => void;
  #history = new TrainingHistory();
  #reading: Promise<RunSnapshot> | null = null;
  #latest: RunSnapshot | null = null;

  /** @param onEvent told each event as it is read */
  constructor(folder: string, onEvent: (event: TrainingEvent) => void = () => undefined) {
    this.folder = folder;
    this.#onEvent = onEvent;
    this.#tail = new EventsTail(folder);
  }

  /** What was read of the events so far; another object where they began anew. */
  get history(): TrainingHistory {
    return this.#history;
  }

  /** How the run stood at the last look, which may be reading events still; null before the first. */
  get latest(): RunSnapshot | null {
    return this.#latest;
  }

  /** Reads what is new. Calls at the same time share one reading. @throws AppError as `readSnapshot` */
  read(): Promise<RunSnapshot> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<RunSnapshot> {
    // The state first: whoever sees an end has all events that came before it.
    const snapshot = await readSnapshot(this.folder);
    this.#latest = snapshot;
    while (!(await this.#tail.read((event) => this.#take(event)))) this.#history = new TrainingHistory();
    return snapshot;
  }

  #take(event: TrainingEvent): void {
    this.#history.take(event);
    this.#onEvent(event);
  }
}
