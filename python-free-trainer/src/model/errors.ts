import { AppError } from '../../../src/protocol/errors.ts';

// One function per error that a user is told about a model, its adapter or what is fed to it.

/** @param place name of the linear layer whose matrices do not fit */
export function adapterMismatch(place: string): AppError {
  const message = `The adapter does not fit the model: its matrices for ${place} have another shape. Name the base model that it was trained on.`;
  return new AppError('adapter_mismatch', message, { place });
}

/** @param vocab how many tokens the model knows, numbered from 0 */
export function tokenOutsideVocabulary(token: number, vocab: number): AppError {
  const message = `Token ${token} is outside the model's vocabulary, which ends at ${vocab - 1}: another model's tokenizer wrote this batch. Take the tokenizer that came with this model's weights.`;
  return new AppError('token_outside_vocabulary', message, { token, vocab });
}
