import { AppError } from '../../protocol/errors.ts';

/** The user stopped a scoring. */
export function scoringCancelled(): AppError {
  return new AppError('cancelled', 'Scoring was cancelled.');
}
