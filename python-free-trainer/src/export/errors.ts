import { AppError } from '../../../src/protocol/errors.ts';

/** An export overwrites nothing. */
export function outputExists(path: string): AppError {
  const message = `There is something at ${path} already, which is not overwritten. Name another place, or remove it first.`;
  return new AppError('export_exists', message, { path });
}

/** The run has not reached its end. */
export function noFinalAdapter(folder: string): AppError {
  const message =
    `The run ${folder} has no final adapter yet. Let it end, or name a checkpoint with --checkpoint ` +
    '(a step, or "best").';
  return new AppError('run_unfinished', message, { folder });
}

/** @param steps those that there are */
export function noCheckpoint(folder: string, wanted: string, steps: readonly number[]): AppError {
  const there = steps.length > 0 ? `There are those of the steps ${steps.toReversed().join(', ')}` : 'There is none';
  const message = `The run ${folder} has no checkpoint ${wanted}. ${there}.`;
  return new AppError('checkpoint_missing', message, { folder, wanted, steps });
}

/** A signal ended it. */
export function exportCancelled(path: string): AppError {
  return new AppError('cancelled', `Stopped; ${path} was not written.`, { path });
}
