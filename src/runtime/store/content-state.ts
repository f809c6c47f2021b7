import { CLOCK_STEP_MS } from '../sandbox/clock-step.ts';
import { type FileState, locate, stateOfCompanion } from '../sandbox/database-file.ts';

/** A database file at one moment, as far as its folder tells. */
export interface ContentState {
  /** Where the file lies, links followed. */
  path: string;
  /** Size in bytes of the file without its log. */
  bytes: number;
  /** Whether a log with committed rows stands beside the file. */
  hasLog: boolean;
  /** A text that changes when the file or its log does. */
  text: string;
}

function textOf({ device, inode, size, mtimeMs, ctimeMs }: FileState): string {
  return `${device}:${inode}:${size}:${mtimeMs}:${ctimeMs}`;
}

/**
 * The state of a database; null where nothing should be concluded from it: the file cannot be looked at, it was written
 * so lately that a later write could go unnoticed, or a journal beside it may undo a part of it.
 */
export function contentStateOf(db: string): ContentState | null {
  try {
    const { path, state } = locate(db);
    const log = stateOfCompanion(db, `${path}-wal`);
    const journal = stateOfCompanion(db, `${path}-journal`);
    if (journal !== null && journal.size > 0) return null;
    const hasLog = log !== null && log.size > 0;
    const writtenMs = Math.max(state.mtimeMs, hasLog ? log.mtimeMs : 0);
    const age = Date.now() - writtenMs;
    if (age >= 0 && age < CLOCK_STEP_MS) return null;
    return { path, bytes: state.size, hasLog, text: hasLog ? `${textOf(state)}|${textOf(log)}` : textOf(state) };
  } catch {
    return null;
  }
}
