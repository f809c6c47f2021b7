import { partnerOf } from '../../core/debug/partner.ts';
import { firstStep, type Step } from '../../core/debug/step.ts';
import type { StackFrame } from '../../protocol/dap.ts';
import type { ClientPlaces } from './breakpoints.ts';
import type { Debuggee, Side, ThreadId } from './debuggee.ts';
import { noSuchThread, staleReference } from './errors.ts';
import { type Frame, framesOf, shownFrame } from './stack.ts';

/** Where the queries of a session stand. */
export class Position {
  readonly debuggee: Debuggee;
  readonly #steps = new Map<ThreadId, Step>();

  constructor(debuggee: Debuggee) {
    this.debuggee = debuggee;
    for (const side of debuggee.sides) {
      const first = firstStep(side.plan);
      if (first !== null) this.#steps.set(side.thread, first);
    }
  }

  /** @throws AppError `dap_no_thread` */
  side(thread: number): Side {
    const side = this.debuggee.sides.find((candidate) => candidate.thread === thread);
    if (side === undefined) throw noSuchThread(thread);
    return side;
  }

  /** @throws AppError `dap_no_thread` */
  step(thread: number): Step {
    const step = this.#steps.get(this.side(thread).thread);
    if (step === undefined) throw noSuchThread(thread);
    return step;
  }

  /** Where the queries stand when one of them has moved to a step: the other follows. */
  after(side: Side, step: Step): { side: Side; step: Step }[] {
    return this.debuggee.sides.flatMap((other) => {
      const at = other === side ? step : partnerOf(step, other.plan);
      return at === null ? [] : [{ side: other, step: at }];
    });
  }

  /** Puts one query at a step; the other follows. */
  moveTo(side: Side, step: Step): void {
    for (const moved of this.after(side, step)) this.#steps.set(moved.side.thread, moved.step);
  }

  frames(thread: number): Frame[] {
    return framesOf(this.side(thread), this.step(thread));
  }

  shown(frame: Frame, places: ClientPlaces): StackFrame {
    return shownFrame(this.debuggee, frame, places);
  }

  /** The frame of an id; the first thread's topmost where none is named. @throws AppError `dap_stale` */
  frame(id: number | undefined): Frame {
    const all = this.debuggee.sides.flatMap(({ thread }) => this.frames(thread));
    const found = id === undefined ? all[0] : all.find((frame) => frame.id === id);
    if (found === undefined) throw staleReference();
    return found;
  }
}
