import { AppError } from '../../../src/protocol/errors.ts';

// One function per error that a user is told about a model, its adapter or what is fed to it.

/** @param place name of the linear layer whose matrices do not fit */
export function adapterMismatch(place: string): AppError {
  const message = `The adapter does not fit the model: its matrices for ${place} have another shape. Name the base model that it was trained on.`;
  return new AppError('adapter_mismatch', message, { place });
}

export function tokenOutsideVocabulary(token: number, vocab: number): AppError {
  const message = `Token ${token} is outside the model's vocabulary of ${vocab}. The data was tokenised for another model; delete its token cache and tokenise again.`;
  return new AppError('token_outside_vocabulary', message, { token, vocab });
}
