import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { TrainingEvent } from '../../../src/protocol/training.ts';
import { runUnwritable } from './errors.ts';

type WithoutTime<T> = T extends unknown ? Omit<T, 'time'> : never;
/** What a writer gives; the log adds the time. */
export type NewEvent = WithoutTime<TrainingEvent>;

const LINE_FEED = 10;
const BLOCK = 65_536;
const KEPT = 'The checkpoints are untouched.';

/** Where the last whole line of a file ends: behind its line feed. */
function endOfLines(file: number, size: number): number {
  const block = Buffer.alloc(BLOCK);
  for (let end = size; end > 0; end -= BLOCK) {
    const start = Math.max(0, end - BLOCK);
    const bytes = readSync(file, block, 0, end - start, start);
    const at = block.subarray(0, bytes).lastIndexOf(LINE_FEED);
    if (at >= 0) return start + at + 1;
  }
  return 0;
}

/** `events.jsonl`: a line an event, only ever added to. Written at once, so that a killed trainer has told all it did. */
export class EventLog {
  readonly path: string;
  /** Bytes of a torn last line that was cut off when the log was opened; 0: it was whole. */
  readonly repaired: number;
  readonly #file: number;
  readonly #onEvent: (event: TrainingEvent) => void;
  #size: number;

  /** Opens or makes a log; a last line without its end, of a writer that was killed, is cut off. @throws AppError `run_unwritable` */
  constructor(path: string, onEvent: (event: TrainingEvent) => void = () => undefined) {
    this.path = path;
    this.#onEvent = onEvent;
    try {
      this.#file = openSync(path, 'a+');
      const { size } = fstatSync(this.#file);
      this.#size = endOfLines(this.#file, size);
      this.repaired = size - this.#size;
      if (this.repaired > 0) ftruncateSync(this.#file, this.#size);
    } catch (error) {
      throw runUnwritable(path, error, KEPT);
    }
  }

  /** Adds one event. @throws AppError `disk_full`, `run_unwritable`; the log then ends as before */
  append(event: NewEvent): void {
    const full = TrainingEvent.parse({ ...event, time: new Date().toISOString() });
    const line = Buffer.from(`${JSON.stringify(full)}\n`);
    try {
      for (let done = 0; done < line.length; ) done += writeSync(this.#file, line, done);
      this.#size += line.length;
    } catch (error) {
      try {
        ftruncateSync(this.#file, this.#size);
      } catch {
        // The next trainer that opens the log cuts the torn line off.
      }
      throw runUnwritable(this.path, error, KEPT);
    }
    this.#onEvent(full);
  }

  /** Returns when the disk has all events. @throws AppError `disk_full`, `run_unwritable` */
  sync(): void {
    try {
      fsyncSync(this.#file);
    } catch (error) {
      throw runUnwritable(this.path, error, KEPT);
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}
