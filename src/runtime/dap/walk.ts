import { partnerOf } from '../../core/debug/partner.ts';
import { back, backward, forward, out, over, type Step, sameStep, stageOf, stepsOf } from '../../core/debug/step.ts';
import { stageWords } from '../../core/debug/words.ts';
import type { CancelSignal } from '../../core/ports.ts';
import { AppError } from '../../protocol/errors.ts';
import type { Breakpoints, SetBreakpoint } from './breakpoints.ts';
import type { Debuggee, Side } from './debuggee.ts';
import { holds, logText } from './evaluate.ts';
import { type Exception, type Exceptions, failureOf } from './exceptions.ts';
import type { FollowedRows } from './followed-rows.ts';

/** How a session goes on from a step. */
export type Move = 'next' | 'in' | 'out' | 'back' | 'continue' | 'reverse';

/** Where a move ended. */
export interface Stop {
  /** null: all clauses have worked. */
  readonly step: Step | null;
  readonly reason: 'entry' | 'step' | 'breakpoint' | 'exception' | 'data breakpoint' | 'goto' | 'pause';
  /** More than the clause's own name; null where there is nothing to tell. */
  readonly text: string | null;
  readonly breakpoints: readonly number[];
  readonly exception: Exception | null;
}

/** What stops a walk besides its target. */
export interface Watches {
  readonly breakpoints: Breakpoints;
  readonly exceptions: Exceptions;
  readonly followed: FollowedRows;
  /** Tells a line of a logpoint, or what is wrong with a condition. */
  tell(text: string, side: Side, step: Step): void;
}

/** Goes from clause to clause. Nothing is kept between walks. */
export class Walk {
  readonly #debuggee: Debuggee;
  readonly #watches: Watches;
  readonly #side: Side;
  readonly #signal: CancelSignal;
  /** How far the walk has come: where it is stopped by the user. */
  at: Step;

  constructor(debuggee: Debuggee, watches: Watches, side: Side, from: Step, signal: CancelSignal) {
    this.#debuggee = debuggee;
    this.#watches = watches;
    this.#side = side;
    this.#signal = signal;
    this.at = from;
  }

  /** The other query. */
  get #other(): Side | null {
    return this.#side.thread === 1 ? this.#debuggee.gold : this.#debuggee.query;
  }

  /** Makes a move. @throws AppError `cancelled` */
  async go(move: Move): Promise<Stop> {
    const from = this.at;
    switch (move) {
      case 'continue':
        return this.#until(forward(from), forward, () => true);
      case 'reverse':
        return (await this.#backTo()) ?? stopAt(start(from), 'entry');
      case 'back':
        return stopAt(back(from) ?? from, back(from) === null ? 'entry' : 'step');
      case 'in': {
        const inner = forward(from);
        return inner !== null && isInside(inner, from) ? this.land(inner, 'step') : this.go('next');
      }
      case 'next':
        return this.#to(over(from), (step) => isInside(step, from));
      case 'out':
        return this.#to(out(from), (step) => stepsOf(step).some(({ plan }) => plan === from.plan));
    }
  }

  /** Stops at a step where something asks for it, else goes on to it as to any other. */
  async land(step: Step, reason: Stop['reason']): Promise<Stop> {
    this.at = step;
    return (await this.#hit(step)) ?? stopAt(step, reason);
  }

  /** Goes through what works on the way to a target, and stops there. */
  async #to(target: Step | null, isOnTheWay: (step: Step) => boolean): Promise<Stop> {
    const stopped = await this.#until(forward(this.at), forward, (step) => !sameStep(step, target) && isOnTheWay(step));
    if (stopped.step !== null) return stopped;
    if (target === null) return END;
    // A clause that is come back to has not worked again.
    return target.behind > 0 ? stopAt(target, 'step') : this.land(target, 'step');
  }

  async #until(first: Step | null, next: (step: Step) => Step | null, isOnTheWay: (step: Step) => boolean) {
    let step = first;
    while (step !== null && isOnTheWay(step)) {
      this.at = step;
      const stopped = await this.#hit(step);
      if (stopped !== null) return stopped;
      step = next(step);
    }
    return END;
  }

  async #backTo(): Promise<Stop | null> {
    for (let step = backward(this.at); step !== null; step = backward(step)) {
      this.at = step;
      const ids = await this.#breakpoints(this.#side, step);
      if (ids.length > 0) return { ...stopAt(step, 'breakpoint'), breakpoints: ids };
    }
    return null;
  }

  /** What asks to stop at a step. */
  async #hit(step: Step): Promise<Stop | null> {
    const { lines } = this.#debuggee.textOf(this.#side, step.plan).places;
    const failure = failureOf(this.#debuggee, step, (offset) => lines.placeOf(offset));
    if (failure !== null) return { ...stopAt(step, 'exception'), text: failure.description, exception: failure };
    const gone = await this.#watches.followed.goneAt(this.#debuggee, step, this.#signal);
    const [first] = gone;
    if (first !== undefined)
      return { ...stopAt(step, 'data breakpoint'), text: first.description, breakpoints: gone.map(({ id }) => id) };
    const exception = await this.#exception(step);
    if (exception !== null) return { ...stopAt(step, 'exception'), text: exception.description, exception };
    const ids = [...(await this.#breakpoints(this.#side, step)), ...(await this.#partnerBreakpoints(step))];
    return ids.length > 0 ? { ...stopAt(step, 'breakpoint'), breakpoints: ids } : null;
  }

  async #exception(step: Step): Promise<Exception | null> {
    try {
      return await this.#watches.exceptions.at(this.#debuggee, this.#side, step, this.#signal);
    } catch (error) {
      this.#tellFailure('The condition of an exception breakpoint', error, this.#side, step);
      return null;
    }
  }

  /** Breakpoints in the other query, at the clause that it has come to by this step. */
  async #partnerBreakpoints(step: Step): Promise<number[]> {
    const other = this.#other;
    if (other === null) return [];
    const partner = partnerOf(step, other.plan);
    const before = backward(step);
    const earlier = before === null ? null : partnerOf(before, other.plan);
    if (partner === null || sameStep(partner, earlier)) return [];
    return this.#breakpoints(other, partner);
  }

  async #breakpoints(side: Side, step: Step): Promise<number[]> {
    const ids: number[] = [];
    for (const breakpoint of this.#watches.breakpoints.at(this.#debuggee, side, step))
      if (await this.#counts(breakpoint, side, step)) ids.push(breakpoint.id);
    return ids;
  }

  async #counts(breakpoint: SetBreakpoint, side: Side, step: Step): Promise<boolean> {
    const stage = stageOf(step);
    try {
      const { condition } = breakpoint;
      if (condition !== null && !(await holds(this.#debuggee, stage, condition, this.#signal))) return false;
    } catch (error) {
      this.#tellFailure(`The condition "${breakpoint.condition}"`, error, side, step);
    }
    breakpoint.hits++;
    if (breakpoint.counts !== null && !breakpoint.counts(breakpoint.hits)) return false;
    if (breakpoint.logMessage === null) return true;
    this.#watches.tell(await logText(this.#debuggee, stage, breakpoint.logMessage, this.#signal), side, step);
    return false;
  }

  #tellFailure(what: string, error: unknown, side: Side, step: Step): void {
    if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
    this.#watches.tell(`${what} cannot be worked out at ${stageWords(stageOf(step))}: ${error.message}`, side, step);
  }
}

const END: Stop = { step: null, reason: 'step', text: null, breakpoints: [], exception: null };

/** A stop for no reason but the move's own. */
export function stopAt(step: Step, reason: Stop['reason']): Stop {
  return { step, reason, text: null, breakpoints: [], exception: null };
}

function start(step: Step): Step {
  const outermost = stepsOf(step).at(-1) ?? step;
  return { ...outermost, index: 0, behind: 0 };
}

/** Whether a step lies in a nested trace of a clause. */
function isInside(step: Step, clause: Step): boolean {
  return step.outer !== null && stepsOf(step.outer).some((around) => sameStep(around, clause));
}
