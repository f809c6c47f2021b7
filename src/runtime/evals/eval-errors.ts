import { AppError, type WireError } from '../../protocol/errors.ts';

// One function per error of an evaluation that a user is told.

export function folderTaken(folder: string): AppError {
  const message = `${folder} holds a run already. Go on with it by --resume, or give another folder with --out.`;
  return new AppError('run_folder_taken', message, { folder });
}

export function runBusy(folder: string): AppError {
  const message = `Another process is working on the run in ${folder}. Wait until it is done, or stop it.`;
  return new AppError('run_busy', message, { folder });
}

export function noRun(folder: string): AppError {
  const message = `There is no run in ${folder}: it has no run.json. Give the folder of a run.`;
  return new AppError('run_missing', message, { folder });
}

export function runDamaged(path: string, reason: string): AppError {
  const message = `${path} cannot be read as the beginning of a run (${reason}). Restore the file, or start the run anew.`;
  return new AppError('run_damaged', message, { path, reason });
}

/** @param differences a clause each */
export function otherConfiguration(folder: string, differences: readonly string[]): AppError {
  const message = `The run in ${folder} was begun with another configuration: ${differences.join('; ')}. Give the same options, or leave out --resume to start another run.`;
  return new AppError('run_configuration_differs', message, { folder, differences });
}

export function noItems(dataset: string): AppError {
  const message = `No item of ${dataset} is left to be asked. Check --split, --ids and --limit, and whether its databases are there.`;
  return new AppError('eval_no_items', message, { dataset });
}

export function runUnwritable(folder: string, done: number, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && 'code' in cause ? cause.code : '';
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
  const what = isFull ? 'is full' : `cannot be written (${reason})`;
  const remedy = isFull ? 'Free some space' : 'Make it writable';
  return new AppError(
    isFull ? 'disk_full' : 'run_unwritable',
    `${isFull ? 'The disk of ' : ''}${folder} ${what}. ${finished(done)} ${remedy}, then go on with --resume.`,
    { folder, done, reason },
  );
}

function finished(done: number): string {
  if (done === 0) return 'No item was finished.';
  return `${done} finished ${done === 1 ? 'item is' : 'items are'} kept.`;
}

/** The provider cannot answer whatever it is asked. */
export function providerUnusable(cause: WireError, done: number, folder: string): AppError {
  const message = `The run has stopped, because the model cannot be asked. ${cause.message} ${finished(done)} When that is mended, go on with --resume.`;
  return new AppError('eval_provider_unusable', message, { cause: cause.code, done, folder });
}

/** @param count items in a row without a reply */
export function providerKeepsFailing(count: number, cause: WireError, done: number, folder: string): AppError {
  const message = `The run has stopped, because the model gave no answer to ${count} items in a row. ${cause.message} ${finished(done)} When that is mended, go on with --resume: items without an answer are asked again.`;
  return new AppError('eval_provider_failing', message, { cause: cause.code, count, done, folder });
}
