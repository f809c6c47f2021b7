import { type Problem, problemText } from '../../core/evals/dataset/problems.ts';
import { AppError } from '../../protocol/errors.ts';

// One function per error that a user is told about a dataset, its databases or its splits.

export function datasetMissing(path: string): AppError {
  return new AppError('dataset_missing', `There is no file ${path}. Check the path of the dataset.`, { path });
}

export function datasetIsFolder(path: string): AppError {
  const message = `${path} is a folder. Name one dataset file; "sql-agent dataset check ${path}" finds the ones in it.`;
  return new AppError('dataset_is_folder', message, { path });
}

/** @param reason code of the file system */
export function datasetUnreadable(path: string, reason: string): AppError {
  return new AppError('dataset_unreadable', `${path} cannot be read (${reason}). Check its permissions.`, {
    path,
    reason,
  });
}

export function datasetTooLarge(path: string, bytes: number, limit: number): AppError {
  const size = (value: number) => `${Math.round(value / 2 ** 20)} MiB`;
  const message = `${path} has ${size(bytes)}; a dataset may have ${size(limit)}. Divide it into several files.`;
  return new AppError('dataset_too_large', message, { path, bytes });
}

/** @param what the file is instead, such as "a SQLite database" */
export function notADataset(path: string, what: string): AppError {
  const message = `${path} is not a dataset but ${what}. Name a BIRD or Spider JSON file, JSON lines, CSV, or a suite.`;
  return new AppError('not_a_dataset', message, { path, what });
}

export function datasetEmpty(path: string): AppError {
  return new AppError('dataset_empty', `${path} is empty. Name a file with questions and their SQL.`, { path });
}

/** @param line of the first byte that belongs to no character, from 1 */
export function datasetNotUtf8(path: string, line: number): AppError {
  const message = `${path} is not UTF-8: line ${line} has bytes that stand for no character. Save the file as UTF-8.`;
  return new AppError('dataset_not_utf8', message, { path, line });
}

/** @param count of all problems, of which `problems` are the first */
export function datasetInvalid(path: string, problems: readonly Problem[], count: number): AppError {
  const more = count > problems.length ? [`  and ${count - problems.length} more`] : [];
  const lines = [...problems.map((problem) => `  ${problemText(problem)}`), ...more];
  const head = `${path} cannot be used before ${count === 1 ? 'this is' : 'these faults are'} put right:`;
  return new AppError('dataset_invalid', [head, ...lines].join('\n'), { path, problems, count });
}

export function rootMissing(root: string): AppError {
  const message = `There is no folder ${root}. --db-root names the folder that holds <db_id>/<db_id>.sqlite.`;
  return new AppError('db_root_missing', message, { root });
}

export function rootIsFile(root: string): AppError {
  const message = `${root} is a file. --db-root names the folder that holds <db_id>/<db_id>.sqlite.`;
  return new AppError('db_root_is_file', message, { root });
}

export function pairsTaken(path: string): AppError {
  const message = `${path} is there already and is left as it is. Name another file with --out, or remove it.`;
  return new AppError('training_pairs_taken', message, { path });
}

/** @param reason the system's own words */
export function pairsUnwritable(path: string, reason: string): AppError {
  const message = `${path} cannot be written (${reason}). Name another file with --out.`;
  return new AppError('training_pairs_unwritable', message, { path, reason });
}

/** A run whose failures would be repaired, but that asked another dataset. */
export function pairsRunOfOther(run: string, dataset: string): AppError {
  const message = `Run ${run} is of another dataset (${dataset}), or of another state of this one: its queries do not belong to these items. Name a run on this very file with --from-run.`;
  return new AppError('training_pairs_run', message, { run, dataset });
}
