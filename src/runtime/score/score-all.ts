import type { CancelSignal } from '../../core/ports.ts';
import type { Verdict } from '../../protocol/score.ts';
import { scoringCancelled } from './score-errors.ts';
import type { ScorePair, Scorer } from './scorer.ts';

export interface ScoreAllOptions {
  /** Pairs that are worked on at the same time. */
  concurrency: number;
  /** Told of each verdict in the order of the pairs. */
  onVerdict(verdict: Verdict, pair: ScorePair): void;
}

/**
 * Scores pairs, several at the same time, and tells the verdicts in the order of the pairs.
 * @throws AppError `cancelled` where `signal` aborts, what `onVerdict` throws, and as `Scorer.score`
 */
export async function scoreAll(
  scorer: Scorer,
  pairs: readonly ScorePair[],
  options: ScoreAllOptions,
  signal?: CancelSignal,
): Promise<void> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  if (signal?.aborted) throw scoringCancelled();
  signal?.addEventListener('abort', abort, { once: true });
  const done = new Map<number, Verdict>();
  let told = 0;
  const tell = () => {
    if (stop.signal.aborted) return;
    for (let verdict = done.get(told); verdict !== undefined; verdict = done.get(told)) {
      const pair = pairs[told];
      done.delete(told);
      told++;
      if (pair) options.onVerdict(verdict, pair);
    }
  };
  const queue = pairs.entries();
  const worker = async () => {
    for (const [index, pair] of queue) {
      done.set(index, await scorer.score(pair, stop.signal));
      tell();
    }
  };
  // The first failure stops what others have begun, and is thrown when they have ended.
  const guarded = () =>
    worker().catch((error: unknown) => {
      abort();
      throw error;
    });
  const workers = Array.from({ length: Math.min(options.concurrency, pairs.length) }, guarded);
  try {
    await Promise.all(workers);
  } finally {
    await Promise.allSettled(workers);
    signal?.removeEventListener('abort', abort);
  }
}
