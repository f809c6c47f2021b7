import { setImmediate } from 'node:timers/promises';
import type { CancelSignal } from '../../core/ports.ts';
import type { Verdict } from '../../protocol/score.ts';
import { scoringCancelled } from './score-errors.ts';
import type { ScorePair, Scorer } from './scorer.ts';

/**
 * Pairs whose verdicts are kept take no turn of the event loop. After so many milliseconds one is given, or replies of the
 * sandbox and Ctrl-C would wait for all of them.
 */
const TURN_MS = 20;

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
    for (;;) {
      const [verdict, pair] = [waiting.get(told), pairs[told]];
      if (verdict === undefined || pair === undefined || stop.signal.aborted) return;
      waiting.delete(told);
      told++;
      options.onVerdict(verdict, pair);
    }
  };
  let turnAt = performance.now();
  const yieldTurn = async () => {
    if (performance.now() - turnAt < TURN_MS) return;
    await setImmediate();
    turnAt = performance.now();
  };
  const queue = pairs.entries();
  const worker = async () => {
    try {
      for (const [index, pair] of queue) {
        waiting.set(index, await scorer.score(pair, stop.signal));
        tell();
        await yieldTurn();
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
