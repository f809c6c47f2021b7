import { readableBytes } from '../runtime/model/errors.ts';
import type { PullProgress } from '../runtime/model/progress.ts';

const STEPS: Record<PullProgress['step'], string> = {
  adapter: 'copying the adapter',
  downloading: 'downloading',
  copying: 'copying',
  checking: 'checking the SHA-256',
};

/** A time for people: `48 s`, `3 min 20 s`, `2 h 5 min`. */
export function readableSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** One line: step, bytes of all, share, rate and remaining time as far as they are known. */
export function renderProgress(progress: PullProgress): string {
  const { step, bytes, total, bytesPerSecond, secondsLeft } = progress;
  const share = total > 0 ? Math.floor((bytes / total) * 100) : 100;
  const parts = [`${STEPS[step]}: ${readableBytes(bytes)} of ${readableBytes(total)} (${share} %)`];
  if (bytesPerSecond !== null) parts.push(`${readableBytes(bytesPerSecond)}/s`);
  if (secondsLeft !== null && bytes < total) parts.push(`${readableSeconds(secondsLeft)} left`);
  return parts.join(', ');
}

/** Where progress is shown: a terminal, or lines of a log. */
export interface ProgressTarget {
  isTerminal: boolean;
  write(text: string): void;
  line(text: string): void;
}

/** In a log a line is written for each step begun and ended, and for each tenth of it. */
const LOG_STEPS = 10;

/** Shows progress: on a terminal one line that changes, in a log a line now and then. */
export class ProgressView {
  readonly #target: ProgressTarget;
  #shown = '';
  #width = 0;

  constructor(target: ProgressTarget) {
    this.#target = target;
  }

  show(progress: PullProgress): void {
    const text = renderProgress(progress);
    if (this.#target.isTerminal) {
      this.#target.write(`\r${text.padEnd(this.#width)}`);
      this.#width = text.length;
      return;
    }
    const tenth = progress.total > 0 ? Math.floor((progress.bytes / progress.total) * LOG_STEPS) : LOG_STEPS;
    const key = `${progress.step} ${tenth}`;
    if (key === this.#shown) return;
    this.#shown = key;
    this.#target.line(text);
  }

  /** Leaves the line on a terminal. */
  end(): void {
    if (this.#width > 0) this.#target.write('\n');
    this.#width = 0;
  }
}
