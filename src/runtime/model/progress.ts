/** What a pull is doing. Sizes in bytes; rate and remaining time are null where they are not known yet. */
export interface PullProgress {
  step: 'adapter' | 'downloading' | 'copying' | 'checking';
  bytes: number;
  total: number;
  bytesPerSecond: number | null;
  secondsLeft: number | null;
}

/** The rate is measured over the last so many milliseconds. */
const WINDOW_MS = 5000;
/** Fewer milliseconds say nothing of a rate. */
const LEAST_MS = 500;

/** Turns byte counts into progress with a rate. */
export class RateMeter {
  readonly #step: PullProgress['step'];
  readonly #total: number;
  #samples: { at: number; bytes: number }[] = [];

  constructor(step: PullProgress['step'], total: number) {
    this.#step = step;
    this.#total = total;
  }

  /** @param now milliseconds of a clock that never goes back. */
  progress(bytes: number, now: number): PullProgress {
    const last = this.#samples.at(-1);
    // A download that began anew.
    if (last && bytes < last.bytes) this.#samples = [];
    this.#samples.push({ at: now, bytes });
    while (this.#samples.length > 2 && now - (this.#samples[1]?.at ?? now) >= WINDOW_MS) this.#samples.shift();
    const first = this.#samples[0] ?? { at: now, bytes };
    const elapsed = now - first.at;
    const rate = elapsed >= LEAST_MS ? ((bytes - first.bytes) / elapsed) * 1000 : null;
    const bytesPerSecond = rate !== null && rate > 0 ? rate : null;
    return {
      step: this.#step,
      bytes,
      total: this.#total,
      bytesPerSecond,
      secondsLeft: bytesPerSecond === null ? null : (this.#total - bytes) / bytesPerSecond,
    };
  }
}

/** A listener of byte counts that reports progress, at most every `intervalMs` and always at the end. */
export function byteReporter(
  step: PullProgress['step'],
  total: number,
  report: ((progress: PullProgress) => void) | undefined,
  intervalMs = 200,
): (bytes: number) => void {
  const meter = new RateMeter(step, total);
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (bytes) => {
    const now = performance.now();
    if (now - reportedAt < intervalMs && bytes < total) return;
    reportedAt = now;
    report?.(meter.progress(bytes, now));
  };
}
