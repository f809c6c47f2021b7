/** Steps shorter than this together say nothing of how busy the machine is. */
const WINDOW_MS = 60;
/** Share of their time that threads run on a machine with nothing else to do; below it they wait for each other. */
const HEALTHY_SHARE = 0.65;
/** After so long with fewer threads, all are tried again. */
const RETRY_MS = 10_000;

/** What a piece of work took: time on the wall, and of all threads on a processor. */
export interface Step {
  wallMs: number;
  cpuMs: number;
}

/**
 * How many threads to evaluate with. The engine's threads spin at several hundred barriers a token, so a thread that the
 * system puts aside holds up all others: on two cores with two other busy processes, two threads were measured to write
 * 0.6 tokens/s where one writes 25 to 50. Where threads do not get their time, fewer are used for a while.
 */
export class ThreadGovernor {
  readonly #most: number;
  #threads: number;
  #window: Step = { wallMs: 0, cpuMs: 0 };
  #lessSince = 0;

  /** @param most threads to use on a free machine. */
  constructor(most: number) {
    this.#most = most;
    this.#threads = most;
  }

  get threads(): number {
    return this.#threads;
  }

  /** @param now milliseconds of a clock that never goes back. */
  observe(step: Step, now: number): void {
    if (this.#threads < this.#most && now - this.#lessSince >= RETRY_MS) {
      this.#threads = this.#most;
      this.#window = { wallMs: 0, cpuMs: 0 };
      return;
    }
    this.#window = { wallMs: this.#window.wallMs + step.wallMs, cpuMs: this.#window.cpuMs + step.cpuMs };
    const { wallMs, cpuMs } = this.#window;
    if (wallMs < WINDOW_MS) return;
    this.#window = { wallMs: 0, cpuMs: 0 };
    const running = cpuMs / wallMs;
    if (this.#threads === 1 || running / this.#threads >= HEALTHY_SHARE) return;
    this.#threads = Math.max(1, Math.min(this.#threads - 1, Math.floor(running)));
    this.#lessSince = now;
  }
}
