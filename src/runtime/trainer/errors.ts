import { AppError } from '../../protocol/errors.ts';

// One function per error about training runs that a user is told.

export function noTrainingRun(folder: string): AppError {
  const message = `There is no training run in ${folder}: it has no config.json. Give the folder of a run.`;
  return new AppError('training_run_missing', message, { folder });
}

export function trainingRunDamaged(path: string, reason: string): AppError {
  const message = `${path} cannot be read (${reason}). Restore the file, or start the run anew in another folder.`;
  return new AppError('training_run_damaged', message, { path, reason });
}

export function folderNotEmpty(folder: string): AppError {
  const message = `${folder} is not empty. Give a new folder for this run (--out); "sql-agent train resume" goes on with one that is in it.`;
  return new AppError('training_folder_taken', message, { folder });
}

export function folderUnwritable(folder: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `The folder ${folder} cannot be made or written (${reason}). Give another one, or free space on its disk.`;
  return new AppError('training_folder_unwritable', message, { folder, reason });
}

export function dataMissing(path: string): AppError {
  const message = `There is no file ${path} to train on. It has one example a line, as JSON: {"system", "user", "sql"}. "sql-agent dataset pairs" makes it of questions and their SQL.`;
  return new AppError('training_data_missing', message, { path });
}

/** @param known the names that stand for models of this program */
export function unknownBase(base: string, known: readonly string[]): AppError {
  const message = `There is no base model "${base}". Give ${known.join(', ')}, a GGUF file or a Hugging Face folder.`;
  return new AppError('training_base_unknown', message, { base });
}

export function baseMissing(path: string): AppError {
  const message = `There is no model at ${path}. Give a GGUF file, or a Hugging Face folder with its config.json.`;
  return new AppError('training_base_missing', message, { path });
}

export function adapterMissing(path: string): AppError {
  const message = `There is no adapter at ${path}. Give small, coder, a PEFT folder or a GGUF file, or leave it out to begin with a fresh one.`;
  return new AppError('training_adapter_missing', message, { path });
}

/** @param own the model that it was trained for @param base the one that is to be trained */
export function adapterOfOtherBase(path: string, own: string, base: string): AppError {
  const message = `The adapter ${path} was trained for ${own}, and the base is ${base}. Take ${own} as the base, or leave the adapter out to begin with a fresh one.`;
  return new AppError('training_adapter_other_base', message, { path, own, base });
}

export function trainerNotStarted(reason: string): AppError {
  const message = `The trainer could not be started (${reason}). "sql-agent-trainer doctor" checks this machine.`;
  return new AppError('trainer_not_started', message, { reason });
}

export function stillRunning(folder: string): AppError {
  const message = `A trainer is working on ${folder} already. Follow it, or stop it first.`;
  return new AppError('training_run_active', message, { folder });
}

export function notRunning(folder: string, state: string): AppError {
  const message = `No trainer is working on ${folder}: the run is ${state}. "sql-agent train resume" goes on with one that was stopped.`;
  return new AppError('training_run_inactive', message, { folder, state });
}

export function nothingToResume(folder: string): AppError {
  const message = `The run in ${folder} is done, so there is nothing to go on with. Start another one with --adapter to train its adapter further.`;
  return new AppError('training_run_done', message, { folder });
}

/** @param reason what the trainer itself said */
export function trainingFailed(folder: string, reason: string): AppError {
  const gap = reason.includes('\n') ? '\n' : ' ';
  const message = `${reason}${gap}The run is in ${folder}; trainer.log has all that was printed.`;
  return new AppError('training_failed', message, { folder, reason });
}

/** @param printed the end of what the trainer printed */
export function trainerDied(folder: string, printed: string): AppError {
  const said = printed === '' ? 'It printed nothing.' : `It printed last:\n${printed}`;
  const message = `The trainer of ${folder} ended without saying how. ${said}\n"sql-agent train resume" goes on from the last checkpoint.`;
  return new AppError('trainer_died', message, { folder });
}

/** @param name what was given for a run */
export function runNotFound(name: string, folder: string): AppError {
  const message = `There is no training run "${name}" in ${folder}. "sql-agent train list" shows the runs; a path to a run's folder does, too.`;
  return new AppError('training_run_unknown', message, { name, folder });
}
