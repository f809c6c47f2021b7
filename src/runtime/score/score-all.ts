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
 * Scores pairs, several at the same time, and tells the verdicts in the order of the pairs. The first error stops what
 * others have begun, and is thrown when all has ended.
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
  const waiting = new Map<number, Verdict>();
  let told = 0;
  const tell = () => {
    for (const pair of pairs.slice(told, told + waiting.size)) {
      const verdict = waiting.get(told);
      if (verdict === undefined || stop.signal.aborted) return;
      waiting.delete(told);
      told++;
      options.onVerdict(verdict, pair);
    }
  };
  const queue = pairs.entries();
  const worker = async () => {
    try {
      for (const [index, pair] of queue) {
        waiting.set(index, await scorer.score(pair, stop.signal));
        tell();
      }
    } catch (error) {
      abort();
      throw error;
    }
  };
  const workers = Array.from({ length: Math.min(options.concurrency, pairs.length) }, worker);
  try {
    await Promise.all(workers);
  } finally {
    await Promise.allSettled(workers);
    signal?.removeEventListener('abort', abort);
  }
}
