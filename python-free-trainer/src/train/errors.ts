import { AppError } from '../../../src/protocol/errors.ts';

/** Stopped before there was anything to keep. */
export function stoppedEarly(): AppError {
  return new AppError('cancelled', 'The run was stopped before its first step. Start it again to begin.');
}

/** A model's loss on data that it only measures is not a finite number. @param data the file, or what it is of a run */
export function evaluationNotFinite(data: string): AppError {
  return new AppError(
    'non_finite_loss',
    `The loss on ${data} is no finite number: the adapter has diverged. Take an earlier checkpoint, or train anew with a lower learning rate.`,
    { data },
  );
}

/** The adapter that was written is not the one that was trained. @param reason a phrase */
export function adapterNotAsTrained(path: string, reason: string): AppError {
  return new AppError(
    'adapter_not_as_trained',
    `The adapter ${path} was read back and is not what was trained: ${reason}. The disk may be damaged; the last checkpoint holds the same adapter. Start the run again to write it anew.`,
    { path, reason },
  );
}

/** All training examples were set apart for evaluation, or the other way round. */
export function nothingToTrain(path: string): AppError {
  return new AppError(
    'nothing_to_train',
    `${path} leaves no example to train on beside those that are set apart for evaluation. Add examples, or set "data.held_out" to 0.`,
    { path },
  );
}
