import { type Step, stageOf } from '../../core/debug/step.ts';
import { countWords, stageWords } from '../../core/debug/words.ts';
import { AppError, toWireError } from '../../protocol/errors.ts';
import { isCancelled, type SessionCore } from './core.ts';
import type { Side } from './debuggee.ts';
import { isMoving } from './errors.ts';
import { type Stop, stopAt, Walk } from './walk.ts';

/** Why a query stopped by itself, in short. */
const SHORT: Record<string, string> = {
  does_not_run: 'Does not run',
  rows_diverge: 'Rows diverge',
  no_rows: 'No rows left',
  'data breakpoint': 'Row is gone',
};

/** What a piece of work gives; that it was cancelled, once it is: the process of its query is being killed by then. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new AppError('cancelled', 'Stopped.')), { once: true });
    work.then(resolve, reject);
  });
}

/** Moves the queries of a session, one move at a time, and tells where they stop. */
export class Mover {
  readonly #core: SessionCore;
  #running: AbortController | null = null;
  /** The last stop of each thread that was moved. */
  #last: Stop | null = null;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** Why the session stands where it stands; null before the first stop. */
  get last(): Stop | null {
    return this.#last;
  }

  /** @throws AppError `dap_running` */
  requireStill(): void {
    if (this.#running !== null) throw isMoving();
  }

  /**
   * Begins a move, to be told of by an event.
   * @param go the move, from where the thread stands
   * @throws AppError `dap_running`, `dap_no_thread`
   */
  begin(thread: number, go: (walk: Walk, from: Step) => Promise<Stop>): void {
    this.requireStill();
    const side = this.#core.position.side(thread);
    const controller = new AbortController();
    this.#running = controller;
    void this.#run(side, controller, go);
  }

  /** Ends the query that runs; the session stops at the clause that it has come to. */
  pause(): void {
    this.#running?.abort();
  }

  /** Ends the query that runs, and nothing is told of it any more. */
  abandon(): void {
    const running = this.#running;
    this.#running = null;
    running?.abort();
  }

  async #run(side: Side, controller: AbortController, go: (walk: Walk, from: Step) => Promise<Stop>): Promise<void> {
    const core = this.#core;
    const { debuggee } = core.position;
    const from = core.position.step(side.thread);
    const { signal } = controller;
    const watches = {
      breakpoints: core.breakpoints,
      exceptions: core.exceptions,
      followed: core.followed,
      tell: (text: string, at: Side, step: Step) => this.#tell(text, at, step),
    };
    const walk = new Walk(debuggee, watches, side, from, signal);
    const work = async () => {
      const stop = await go(walk, from);
      if (stop.step !== null)
        for (const { step } of core.position.after(side, stop.step)) await debuggee.count(step, signal);
      return stop;
    };
    let stop: Stop;
    try {
      stop = await core.progress.during(`Running ${side.name === 'gold' ? 'the gold' : 'the query'}`, controller, () =>
        untilAborted(work(), signal),
      );
    } catch (error) {
      if (this.#running !== controller) return;
      for (const { step } of core.position.after(side, walk.at)) debuggee.leaveUncounted(stageOf(step));
      if (!isCancelled(error)) core.tell(toWireError(error).message, 'stderr');
      stop = { ...stopAt(walk.at, 'pause'), text: isCancelled(error) ? 'Stopped before the rows were counted.' : null };
    }
    if (this.#running !== controller) return;
    this.#running = null;
    this.#show(side, stop);
  }

  #show(side: Side, stop: Stop): void {
    const core = this.#core;
    this.#last = stop;
    if (stop.step === null) {
      core.send('terminated', {});
      return;
    }
    core.handles.clear();
    core.position.moveTo(side, stop.step);
    const stage = stageOf(stop.step);
    const count = core.position.debuggee.counted(stage);
    const description = `${stageWords(stage)} · ${countWords(count ?? null, stage)}`;
    const why = core.position.debuggee.whyUncounted(stage);
    if (why !== null && core.position.debuggee.failureAt(stop.step) === null)
      this.#tell(`The rows after ${stageWords(stage)} could not be counted: ${why}`, side, stop.step);
    core.send('stopped', {
      reason: stop.reason,
      // An editor has little room for it, beside the name of the thread.
      description: SHORT[stop.exception?.filter ?? stop.reason] ?? description,
      text: stop.text ?? description,
      threadId: side.thread,
      allThreadsStopped: true,
      ...(stop.breakpoints.length === 0 ? {} : { hitBreakpointIds: stop.breakpoints }),
    });
  }

  #tell(text: string, side: Side, step: Step): void {
    const { source, places } = this.#core.position.debuggee.textOf(side, step.plan);
    const { line, column } = this.#core.places.shown(places.lines.placeOf(stageOf(step).range.offset));
    this.#core.tell(text, 'console', { source, line, column });
  }
}
