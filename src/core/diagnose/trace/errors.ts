import { AppError } from '../../../protocol/errors.ts';

export function traceCancelled(): AppError {
  return new AppError('cancelled', 'The trace was cancelled.');
}
