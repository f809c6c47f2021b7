/** Steps shorter than this together say nothing of how busy the machine is. */
const WINDOW_MS = 60;
/** Share of their time that threads run when they do not wait for each other; below it some were put aside. */
const HEALTHY_SHARE = 0.65;
/** For so long no more threads are used than turned out to be too many. */
const HOLD_MS = 10_000;
/** A core that others use less than this is taken for free. */
const SLACK = 0.3;

/** What a piece of work took: time on the wall, and of all our threads on a processor. */
export interface Step {
  wallMs: number;
  cpuMs: number;
}

/** A stretch of time of the whole machine: `busyMs` is the time of all processors that ran anything, ours included. */
export interface MachineTime extends Step {
  busyMs: number;
}

/**
 * How many threads to evaluate with. The engine's threads spin at several hundred barriers a token, so a thread that the
 * system puts aside holds up all others: on two cores with two other busy processes, two threads were measured to write
 * 0.6 tokens/s where one writes 25 to 50. So no more threads are used than other processes leave cores, and fewer for a
 * while where threads do not get their time though cores looked free.
 */
export class ThreadGovernor {
  readonly #most: number;
  readonly #cores: number;
  #free: number;
  #cap: number;
  #cappedAt = 0;
  #window: Step = { wallMs: 0, cpuMs: 0 };

  /** @param most threads to use on a free machine. @param cores processors that `MachineTime.busyMs` counts. */
  constructor(most: number, cores: number) {
    this.#most = most;
    this.#cores = cores;
    this.#free = most;
    this.#cap = most;
  }

  get threads(): number {
    return Math.max(1, Math.min(this.#most, this.#free, this.#cap));
  }

  /** Takes note of how much other processes ran lately. */
  observeMachine({ wallMs, cpuMs, busyMs }: MachineTime): void {
    if (wallMs <= 0) return;
    const others = Math.max(0, busyMs - cpuMs) / wallMs;
    this.#free = Math.floor(this.#cores - others + SLACK);
  }

  /** Takes note of one step of evaluation. @param now milliseconds of a clock that never goes back. */
  observeStep(step: Step, now: number): void {
    if (now - this.#cappedAt >= HOLD_MS) this.#cap = this.#most;
    this.#window = { wallMs: this.#window.wallMs + step.wallMs, cpuMs: this.#window.cpuMs + step.cpuMs };
    const { wallMs, cpuMs } = this.#window;
    if (wallMs < WINDOW_MS) return;
    this.#window = { wallMs: 0, cpuMs: 0 };
    const { threads } = this;
    const running = cpuMs / wallMs;
    if (threads === 1 || running / threads >= HEALTHY_SHARE) return;
    this.#cap = Math.max(1, Math.min(threads - 1, Math.floor(running)));
    this.#cappedAt = now;
  }
}
