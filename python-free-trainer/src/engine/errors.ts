import { AppError } from '../../../src/protocol/errors.ts';

// One function per error that a user is told about a step of training.

/** @param loss of the batch: NaN or infinite */
export function nonFiniteLoss(loss: number): AppError {
  const message = `The loss is ${loss}, so this batch taught nothing and was not learned from. Look at the examples of this step (failed-step.json of a run), or train anew with a lower learning rate, from the adapter of the last checkpoint if you like.`;
  return new AppError('non_finite_loss', message, { loss: String(loss) });
}

/** @param norm L2 norm over all adapters: NaN or infinite */
export function nonFiniteGradient(norm: number): AppError {
  const message = `The gradient's norm is ${norm}, so the adapter was not changed. Look at the examples of this step (failed-step.json of a run), or train anew with a lower learning rate, from the adapter of the last checkpoint if you like.`;
  return new AppError('non_finite_gradient', message, { norm: String(norm) });
}

/** @param what the part that does not fit, e.g. "the second moments" */
export function stateMismatch(what: string): AppError {
  const message = `The saved state does not belong to this run: ${what} have other shapes. Resume with the configuration that the run was started with.`;
  return new AppError('state_mismatch', message, { what });
}

/** The thread of an engine ended. @param reason as an addition in brackets */
export function engineLost(reason: string): AppError {
  const message = `The thread that computes has ended (${reason}). Start again: the run goes on from its last checkpoint.`;
  return new AppError('engine_lost', message, { reason });
}
