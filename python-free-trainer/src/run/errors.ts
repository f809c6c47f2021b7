import { AppError } from '../../../src/protocol/errors.ts';

function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : '';
  if (cause !== '') return cause;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Something of the run directory could not be written. @param kept what is safe nevertheless, a sentence */
export function runUnwritable(path: string, cause: unknown, kept: string): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (/ENOSPC|EDQUOT|EFBIG/.test(`${codeOf(cause)} ${reason}`))
    return new AppError(
      'disk_full',
      `The disk is too full for ${path}. ${kept} Free some space and start the run again: it goes on from its last checkpoint.`,
      { path },
    );
  return new AppError(
    'run_unwritable',
    `${path} cannot be written (${reason}). ${kept} Check the rights of the run directory and start the run again.`,
    { path, reason },
  );
}

/** @param holder who works on the run, in words */
export function runLocked(folder: string, holder: string): AppError {
  return new AppError(
    'run_locked',
    `${folder} is being trained by ${holder}. Let it end, stop it by a file "stop" in its folder "control", or name another run directory.`,
    { folder, holder },
  );
}

/** The directory is not where it was, or another trainer has it. */
export function runMoved(folder: string): AppError {
  return new AppError(
    'run_moved',
    `${folder} was moved or removed while it was trained, or the file "lock" in it was, so that this trainer ended. Start the run again where it is now: it goes on from its last checkpoint.`,
    { folder },
  );
}

/** @param changes a sentence each */
export function runChanged(folder: string, changes: readonly string[]): AppError {
  return new AppError(
    'run_changed',
    `${folder} cannot go on, since what it depends on has changed:\n${changes.map((line) => `  ${line}`).join('\n')}\nPut it back, or train in a new run directory.`,
    { folder, changes },
  );
}

/** `run.json` is there and is not one. */
export function runDamaged(path: string, reason: string): AppError {
  return new AppError(
    'run_damaged',
    `${path} is not what a trainer wrote (${reason}). Bring back a copy, or train in a new run directory.`,
    { path, reason },
  );
}

/** There are checkpoints, and `run.json`, which says of what, is not there. */
export function runRecordLost(path: string): AppError {
  return new AppError(
    'run_damaged',
    `There are checkpoints and no ${path}, which says what they are of. Bring back a copy, or remove the folder "checkpoints" to start from the beginning.`,
    { path },
  );
}

/** `--resume` where there is nothing to go on from. */
export function nothingToResume(folder: string): AppError {
  return new AppError(
    'nothing_to_resume',
    `${folder} has no checkpoint to go on from. Leave --resume out to start from the beginning.`,
    { folder },
  );
}

/** There are checkpoints, and none can be used. @param problems why, a sentence each */
export function checkpointsDamaged(folder: string, problems: readonly string[]): AppError {
  return new AppError(
    'checkpoints_damaged',
    `No checkpoint of ${folder} can be used:\n${problems.map((line) => `  ${line}`).join('\n')}\nBring back a copy of one, or remove the folder "checkpoints" to start from the beginning.`,
    { folder, problems },
  );
}
