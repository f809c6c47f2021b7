import { AppError } from '../../../../src/protocol/errors.ts';

/** A worker thread of the CPU backend ended or no longer answers. */
export function workerLost(reason: string): AppError {
  const message = `A thread that computes has ended (${reason}). Start again and resume from the last checkpoint; with less memory free, use fewer threads.`;
  return new AppError('compute_thread_lost', message, { reason });
}
