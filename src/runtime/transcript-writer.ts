import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Performer } from '../core/agent/perform.ts';
import type { AskEvent } from '../protocol/ask.ts';
import type { WireError } from '../protocol/errors.ts';
import { makeFolderSync } from './make-folder.ts';
import type { TranscriptLine } from './transcript.ts';
import { transcriptNotKept } from './transcript-errors.ts';

/** Transcripts that stay in the storage folder; older ones are removed. */
const KEPT = 200;

/** The file of a new transcript in the storage folder; its name begins with the time, so that names sort by it. */
export function transcriptPath(storage: string, time: Date, id: string): string {
  const stamp = time.toISOString().replaceAll(/[-:]/g, '').replace(/\..*$/, 'Z');
  return join(storage, 'transcripts', `${stamp}-${id}.jsonl`);
}

/** Removes all but the newest transcripts of the folder. Another process may be doing the same; what resists stays. */
export function pruneTranscripts(storage: string, kept = KEPT): void {
  const folder = join(storage, 'transcripts');
  try {
    const names = readdirSync(folder).filter((name) => /^\d{8}T\d{6}Z-.*\.jsonl$/.test(name));
    for (const name of names.sort().slice(0, Math.max(0, names.length - kept)))
      rmSync(join(folder, name), { force: true });
  } catch {
    // A folder that fills up is no reason to leave a question unanswered.
  }
}

/** How every transcript begins. */
const BEGINNING = Buffer.from('{"type":"ask",');

/** Whether what a file holds may be overwritten: nothing, or an earlier transcript. */
function isOurs(file: number): boolean {
  const start = Buffer.alloc(BEGINNING.length);
  const read = readSync(file, start, 0, start.length, 0);
  return read === 0 || start.equals(BEGINNING);
}

/** Opens a file for a transcript, emptied. @throws where it cannot be opened or is something else */
function openOwn(path: string): number {
  // Not blocking: a pipe without a reader would never open.
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NONBLOCK ?? 0), 0o600);
  try {
    const stats = fstatSync(file);
    if (stats.isCharacterDevice()) return file;
    if (!stats.isFile() || !isOurs(file)) throw new Error('it is there already and is no transcript');
    ftruncateSync(file);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/**
 * Writes a transcript line by line, so that what was recorded outlives a crash. It never stands in the way of a question:
 * where it cannot write it stops, and `problem` says why.
 */
export class TranscriptWriter {
  /** Why nothing more is written; null while all is well. */
  problem: string | null = null;
  readonly #path: string;
  #file: number | null = null;
  #progress: AskEvent[] | null = null;

  /**
   * @param path readable by its owner alone, since it holds rows of the database; overwritten where it is a transcript.
   * Any other file is left as it is.
   */
  constructor(path: string) {
    this.#path = path;
    try {
      makeFolderSync(dirname(path));
      this.#file = openOwn(path);
    } catch (error) {
      this.problem = transcriptNotKept(path, error);
    }
  }

  write(line: TranscriptLine): void {
    if (this.#file === null) return;
    try {
      writeSync(this.#file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      this.problem = transcriptNotKept(this.#path, error);
      this.close();
    }
  }

  /** Records an event that did not come from the agent itself. */
  event(event: AskEvent): void {
    if (this.#progress) this.#progress.push(event);
    else this.write({ type: 'event', event });
  }

  /** A performer that records what it is asked and what it answers. */
  record(perform: Performer): Performer {
    return async (effect) => {
      const progress: AskEvent[] = [];
      this.#progress = progress;
      const input = await perform(effect);
      // The agent's own events are told again by a replay.
      if (effect.type !== 'event' && input.type !== 'done') this.write({ type: 'step', effect, progress, input });
      this.#progress = [];
      return input;
    };
  }

  /** Records that the question failed, with what was told during the effect that failed. */
  fail(error: WireError): void {
    this.write({ type: 'failed', progress: this.#progress ?? [], error });
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}
