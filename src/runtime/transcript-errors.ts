import { AppError } from '../protocol/errors.ts';

export function transcriptUnreadable(path: string, line: number, reason: string): AppError {
  const message = `The transcript ${path} cannot be read: line ${line} is not one of a transcript (${reason}). Record it again with "sql-agent ask --transcript FILE".`;
  return new AppError('transcript_unreadable', message, { path, line, reason });
}

export function transcriptOfOtherVersion(path: string, version: number, expected: number): AppError {
  const message = `The transcript ${path} has version ${version} and this program reads version ${expected}. Replay it with the program that wrote it.`;
  return new AppError('transcript_version', message, { path, version, expected });
}

export function transcriptDiverged(path: string, line: number): AppError {
  const message = `The replay of ${path} went another way at line ${line}: the agent wants something else there than it did when it was recorded. The program has changed since; record it again.`;
  return new AppError('transcript_diverged', message, { path, line });
}

export function transcriptIncomplete(path: string): AppError {
  const message = `The transcript ${path} ends before the agent did: the program that wrote it was stopped. Only what it holds can be replayed.`;
  return new AppError('transcript_incomplete', message, { path });
}

/** A sentence for the user of a question whose transcript cannot be kept; the question goes on. */
export function transcriptNotKept(path: string, cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `No transcript is kept in ${path} (${reason}).`;
}
