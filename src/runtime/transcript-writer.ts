import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Performer } from '../core/agent/perform.ts';
import type { AskEvent } from '../protocol/ask.ts';
import type { WireError } from '../protocol/errors.ts';
import type { TranscriptLine } from './transcript.ts';
import { transcriptNotKept } from './transcript-errors.ts';

/** Transcripts that stay in the storage folder; older ones are removed. */
const KEPT = 200;

/** The file of a new transcript in the storage folder; its name begins with the time, so that names sort by it. */
export function transcriptPath(storage: string, time: Date, id: string): string {
  const stamp = time.toISOString().replaceAll(/[-:]/g, '').replace(/\..*$/, 'Z');
  return join(storage, 'transcripts', `${stamp}-${id}.jsonl`);
}

/** Removes all but the newest transcripts of the folder. Another process may be doing the same. */
export function pruneTranscripts(storage: string, kept = KEPT): void {
  const folder = join(storage, 'transcripts');
  const names = readdirSync(folder).filter((name) => /^\d{8}T\d{6}Z-.*\.jsonl$/.test(name));
  for (const name of names.sort().slice(0, Math.max(0, names.length - kept)))
    rmSync(join(folder, name), { force: true });
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

  /** @param path readable by its owner alone, since it holds rows of the database; overwritten where it exists. */
  constructor(path: string) {
    this.#path = path;
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#file = openSync(path, 'w', 0o600);
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
