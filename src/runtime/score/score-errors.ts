import { type Problem, problemText } from '../../core/evals/dataset/problems.ts';
import { AppError } from '../../protocol/errors.ts';

// One function per error that a user is told about a scoring.

/** The user stopped a scoring. */
export function scoringCancelled(): AppError {
  return new AppError('cancelled', 'Scoring was cancelled.');
}

/** @param reason code of the file system */
export function pairsUnreadable(path: string, reason: string): AppError {
  const message =
    reason === 'ENOENT'
      ? `There is no file ${path}. Check the path.`
      : `${path} cannot be read (${reason}). Name a text file that may be read.`;
  return new AppError('pairs_unreadable', message, { path, reason });
}

export function pairsTooLarge(path: string, bytes: number, limit: number): AppError {
  const size = (value: number) => `${Math.round(value / 2 ** 20)} MiB`;
  const message = `${path} has ${size(bytes)}; ${size(limit)} can be read at once. Divide it into several files.`;
  return new AppError('pairs_too_large', message, { path, bytes });
}

/** @param line of the first byte that belongs to no character, from 1 */
export function pairsNotUtf8(path: string, line: number): AppError {
  const message = `${path} is not UTF-8: line ${line} has bytes that stand for no character. Save the file as UTF-8.`;
  return new AppError('pairs_not_utf8', message, { path, line });
}

/** @param count of all problems, of which `problems` are the first */
export function pairsInvalid(path: string, problems: readonly Problem[], count: number): AppError {
  const more = count > problems.length ? [`  and ${count - problems.length} more`] : [];
  const lines = [...problems.map((problem) => `  ${problemText(problem)}`), ...more];
  const message = [`${path} cannot be scored; nothing was run:`, ...lines].join('\n');
  return new AppError('pairs_invalid', message, { path, problems, count });
}

/** Golds of which nobody can say whether they are sealed. @param splits the file that holds the sealed split */
export function goldsSealed(path: string, splits: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${splits} holds a sealed split, and ${path} does not say which of its golds are of it. Name the dataset itself with --gold. (${reason})`;
  return new AppError('golds_sealed', message, { path, splits });
}

export function verdictsOverInput(path: string): AppError {
  const message = `The verdicts would take the place of ${path}, which they are made from. Name another file with --out.`;
  return new AppError('verdicts_over_input', message, { path });
}

/** @param reason code of the file system, such as ENOSPC */
export function verdictsUnwritable(path: string, reason: string): AppError {
  const full = reason === 'ENOSPC' || reason === 'EDQUOT' || reason === 'EFBIG';
  const what = full ? 'there is no room left for it' : reason;
  const message = `The verdicts cannot be written to ${path}: ${what}. What stood there before is as it was. ${full ? 'Free some space' : 'Check the folder and its permissions'} and score again; what was computed is kept.`;
  return new AppError('verdicts_unwritable', message, { path, reason });
}
