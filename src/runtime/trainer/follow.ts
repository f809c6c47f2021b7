import { setTimeout as delay } from 'node:timers/promises';
import { isActive } from '../../core/training/words.ts';
import type { TrainingEvent } from '../../protocol/training.ts';
import { RunReader, type RunSnapshot } from './run-reader.ts';

/** How often a run directory is looked at. */
const POLL_MS = 250;

export interface FollowOptions {
  /** Resolves when the process of the trainer has ended, where that is known. */
  ended?: Promise<unknown>;
  signal: AbortSignal;
  /** Told what the run did before. */
  onPast(event: TrainingEvent): void;
  onEvent(event: TrainingEvent): void;
  onSnapshot(snapshot: RunSnapshot): void;
}

/** How the following of a run ended. */
export interface Followed {
  snapshot: RunSnapshot;
  reader: RunReader;
  /** The run goes on, and is not followed any more. */
  isDetached: boolean;
}

/**
 * Follows a run by its directory until no trainer works on it any more, or until `signal` aborts.
 * @param past whether the run had begun before: its events so far are no news then
 * @throws AppError those of `readSnapshot`
 */
export async function followRun(folder: string, past: boolean, options: FollowOptions): Promise<Followed> {
  const { ended, signal, onPast, onEvent, onSnapshot } = options;
  let isPast = past;
  let isOver = false;
  void ended?.then(() => {
    isOver = true;
  });
  const reader = new RunReader(folder, (event) => (isPast ? onPast(event) : onEvent(event)));
  for (;;) {
    // Asked before the directory is read: what the trainer wrote last is there then.
    const wasOver = isOver;
    const snapshot = await reader.read();
    isPast = false;
    if (!isActive(snapshot.state)) return { snapshot, reader, isDetached: false };
    if (wasOver) return { snapshot: died(snapshot), reader, isDetached: false };
    onSnapshot(snapshot);
    if (signal.aborted) return { snapshot, reader, isDetached: true };
    const wake = ended === undefined ? [] : [ended];
    await Promise.race([delay(POLL_MS, undefined, { signal }).catch(() => undefined), ...(isOver ? [] : wake)]);
  }
}

function died(snapshot: RunSnapshot): RunSnapshot {
  return { ...snapshot, state: 'died', message: 'The trainer ended without saying how.' };
}
