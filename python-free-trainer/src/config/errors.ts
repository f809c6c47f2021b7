import { AppError } from '../../../src/protocol/errors.ts';

/** A run directory without settings. */
export function configMissing(path: string): AppError {
  return new AppError(
    'config_missing',
    `There is no ${path}. Write one with at least {"model": {"base": FILE}, "data": {"train": FILE}}, or name both: "sql-agent-trainer train RUN_DIR --base FILE --data FILE".`,
    { path },
  );
}

/** The settings cannot be read, or are not a JSON object. @param reason a sentence without its subject */
export function configUnreadable(path: string, reason: string): AppError {
  return new AppError('config_unreadable', `The settings ${path} ${reason}. Repair the file.`, { path, reason });
}

/** @param problems one sentence a setting: what it is and what is allowed */
export function configInvalid(path: string, problems: readonly string[]): AppError {
  return new AppError('config_invalid', `${path} does not fit:\n${problems.map((line) => `  ${line}`).join('\n')}`, {
    path,
    problems,
  });
}

/** Options that write settings, for a run that has some. */
export function configExists(path: string, options: readonly string[]): AppError {
  const named = options.map((option) => `--${option}`).join(', ');
  return new AppError(
    'config_exists',
    `${path} is there already, and ${named} would change it. Leave the options out to train with what it says, or name a new folder.`,
    { path, options },
  );
}
