import { Eta } from '../core/evals/eta.ts';
import { duration } from '../protocol/figures.ts';
import type { ProgressTarget } from './pull-progress.ts';

/** How often a line on a terminal changes, and how often a log gets one, in milliseconds. */
const TERMINAL_MS = 100;
const LOG_MS = 5000;

/** Shows how a scoring, or a diagnosis of many items, goes on: on a terminal one line that changes, in a log a line now and then. */
export class ScoreProgress {
  readonly #target: ProgressTarget;
  readonly #total: number;
  readonly #now: () => number;
  readonly #eta: Eta;
  readonly #what: string;
  #done = 0;
  #shownAt: number;
  #isOpen = false;

  /** @param now milliseconds from any start @param what is counted, in words */
  constructor(target: ProgressTarget, total: number, now: () => number, what = 'pairs scored') {
    this.#target = target;
    this.#total = total;
    this.#now = now;
    this.#what = what;
    this.#shownAt = now();
    this.#eta = new Eta(this.#shownAt);
  }

  /** Counts a pair that is done. */
  step(): void {
    this.#done++;
    const now = this.#now();
    this.#eta.finish(now);
    if (now - this.#shownAt < (this.#target.isTerminal ? TERMINAL_MS : LOG_MS)) return;
    this.#shownAt = now;
    const leftMs = this.#eta.leftMs(this.#total - this.#done);
    const left = leftMs === null ? '' : `, ${duration(leftMs)} left`;
    const text = `${this.#done} of ${this.#total} ${this.#what}${left}`;
    if (this.#target.isTerminal) this.#target.write(`\r${text}\u001b[K`);
    else this.#target.line(text);
    this.#isOpen = this.#target.isTerminal;
  }

  /** Takes the line on a terminal away. */
  end(): void {
    if (this.#isOpen) this.#target.write('\r\u001b[K');
    this.#isOpen = false;
  }
}
