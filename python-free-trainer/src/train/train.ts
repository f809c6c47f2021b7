import { toWireError } from '../../../src/protocol/errors.ts';
import { counted } from '../../../src/protocol/figures.ts';
import type { TrainingEvent } from '../../../src/protocol/training.ts';
import { readSettings } from '../config/read.ts';
import type { Checkpoint } from '../run/checkpoints.ts';
import { nothingToResume, runRecordLost } from '../run/errors.ts';
import { runPaths } from '../run/paths.ts';
import { writeRecord } from '../run/record.ts';
import { openSession, type Session } from '../run/session.ts';
import { stoppedEarly } from './errors.ts';
import { gitOf, recordRun } from './ledger.ts';
import { TrainingLoop } from './loop.ts';
import { type Prepared, prepareRun } from './prepare.ts';
import { BEGINNING, type Progress } from './progress.ts';
import { writeAdapter } from './write-adapter.ts';

export interface TrainOptions {
  /** Only where there is a checkpoint to go on from. */
  resume: boolean;
  /** The words of the command, for the record. */
  command: readonly string[];
  /** Where the run is started. */
  cwd: string;
  /** Asks the run to write a checkpoint and end. */
  signal: AbortSignal;
  /** Told each event as it is written. */
  onEvent(event: TrainingEvent): void;
}

/** How a run ended that did not fail. */
export interface TrainOutcome {
  state: 'done' | 'stopped';
  step: number;
  steps: number;
  message: string;
}

/**
 * Trains in a run directory, from its beginning or from its last checkpoint, until the end or until it is stopped. What
 * happens stands in the directory: see docs/run-directory.md.
 *
 * @param folder absolute path; it has a `config.json`
 * @throws AppError for all that keeps a run from its end; the directory then says so too
 */
export async function trainRun(folder: string, options: TrainOptions): Promise<TrainOutcome> {
  const paths = runPaths(folder);
  const given = await readSettings(paths.config);
  const session = await openSession(paths, options.onEvent);
  const work = new Work(session, options);
  try {
    const outcome = await work.run(given);
    await session.heartbeat.end({ state: outcome.state, message: outcome.message, eta_s: null });
    return outcome;
  } catch (error) {
    const { code, message } = toWireError(error);
    const state = code === 'cancelled' ? 'stopped' : 'failed';
    await work.failed(state, message);
    await session.heartbeat.end({ state, message, eta_s: null });
    throw error;
  } finally {
    await work.close();
    await session.close();
  }
}

/** One trainer's work on a run. */
class Work {
  readonly #session: Session;
  readonly #options: TrainOptions;
  #run: Prepared | null = null;
  #loop: TrainingLoop | null = null;

  constructor(session: Session, options: TrainOptions) {
    this.#session = session;
    this.#options = options;
  }

  async run(given: Record<string, unknown>): Promise<TrainOutcome> {
    const { heartbeat, paths } = this.#session;
    const run = await prepareRun(this.#session, given, this.#options.command);
    this.#run = run;
    const { checkpoint, problems } = await this.#resumed(run);
    if (this.#options.signal.aborted) throw stoppedEarly();
    await writeRecord(paths.run, run.record);
    const progress = checkpoint === null ? BEGINNING : progressOf(checkpoint);
    this.#begin(run, progress, problems);
    const loop = new TrainingLoop(run, this.#session, progress, this.#options.signal);
    this.#loop = loop;
    heartbeat.set({ step: progress.step, of: run.steps, loss: progress.loss, memory: run.engine.memory() });
    const state = await loop.run();
    return state === 'done' ? await this.#finish(run, loop) : await this.#stopped(run, loop);
  }

  /** The checkpoint to go on from, with the engine as it was then. */
  async #resumed(run: Prepared): Promise<{ checkpoint: Checkpoint | null; problems: string[] }> {
    const { checkpoints, paths } = this.#session;
    // Checkpoints of a run that is not known would be written over.
    if (run.isFresh && (await checkpoints.steps()).length > 0) throw runRecordLost(paths.run);
    const found = run.isFresh
      ? { checkpoint: null, problems: [] }
      : await checkpoints.newest(await run.engine.adapter());
    if (found.checkpoint) await run.engine.restore(found.checkpoint.adapter, found.checkpoint.optimiser);
    else if (this.#options.resume) throw nothingToResume(paths.folder);
    return found;
  }

  #begin(run: Prepared, { step }: Progress, problems: readonly string[]): void {
    const { events } = this.#session;
    const torn = events.repaired === 0 ? [] : ['A torn last line of events.jsonl was cut off.'];
    events.append({ kind: 'start', step, of: run.steps });
    for (const text of [...torn, ...problems, ...(run.isFresh ? run.notes : [])])
      events.append({ kind: 'note', step, text });
  }

  async #finish(run: Prepared, loop: TrainingLoop): Promise<TrainOutcome> {
    const { paths, heartbeat, control } = this.#session;
    heartbeat.set({ state: 'saving', message: 'Writing the adapter.' });
    await this.#session.check();
    const output = await writeAdapter(paths, await run.engine.adapter(), run.model, loop.about);
    const { step, loss } = loop.progress;
    const trained = loss === null ? '' : `, loss ${loss.toFixed(4)}`;
    control.done('stop');
    return await this.#end(run, loop, {
      state: 'done',
      step,
      steps: run.steps,
      message: `Trained ${counted(step, 'step')}${trained}. The adapter is ${output.path}.`,
      output,
    });
  }

  async #stopped(run: Prepared, loop: TrainingLoop): Promise<TrainOutcome> {
    const { step } = loop.progress;
    const message = `Stopped after step ${step} of ${run.steps}. Start the run again to go on.`;
    return await this.#end(run, loop, { state: 'stopped', step, steps: run.steps, message, output: null });
  }

  async #end(
    { record }: Prepared,
    { progress }: TrainingLoop,
    { output, ...outcome }: TrainOutcome & Pick<Parameters<typeof recordRun>[1], 'output'>,
  ): Promise<TrainOutcome> {
    const { events } = this.#session;
    const { state, step, message } = outcome;
    const note = (text: string) => events.append({ kind: 'note', step, text });
    const git = await gitOf(record.config.results, this.#options.cwd);
    // The ledger is no reason to call a trained run failed.
    await recordRun(record, { state, progress, output }, git, note).catch((error: unknown) => {
      note(`The run is not in the ledger. ${toWireError(error).message}`);
    });
    events.append({ kind: 'end', step, state, message });
    events.sync();
    return outcome;
  }

  /** Tells as much of a failure as can be told. */
  async failed(state: 'failed' | 'stopped', message: string): Promise<void> {
    const { events } = this.#session;
    const { cwd } = this.#options;
    const progress = this.#loop?.progress ?? BEGINNING;
    try {
      if (this.#run && this.#loop) {
        const { record } = this.#run;
        const git = await gitOf(record.config.results, cwd);
        await recordRun(record, { state, progress, output: null }, git, () => undefined);
      }
    } catch {
      // The failure itself is what is told.
    }
    try {
      events.append({ kind: 'end', step: progress.step, state, message });
    } catch {
      // A full disk: the status and the exit code say it.
    }
  }

  async close(): Promise<void> {
    await this.#run?.engine.close();
  }
}

function progressOf({ state }: Checkpoint): Progress {
  const { step, loss, evaluated, best, totals } = state;
  return { step, loss, evaluated, best, totals };
}
