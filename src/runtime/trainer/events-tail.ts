import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { parseTrainingEvent } from '../../core/training/parse-event.ts';
import type { AppError } from '../../protocol/errors.ts';
import { RUN_FILES, type TrainingEvent } from '../../protocol/training.ts';
import { trainingRunDamaged } from './errors.ts';

/** Bytes that are read and parsed at once, so that whoever else runs in this process is not kept waiting for long. */
const PIECE_BYTES = 1 << 20;
const LINE_FEED = 10;

/** Reads the events of a run as they are written: each line once, a line that is not whole yet at the next call. */
export class EventsTail {
  readonly #path: string;
  #offset = 0;

  constructor(folder: string) {
    this.#path = join(folder, RUN_FILES.events);
  }

  /**
   * Hands over the events written since the last call, in order; lines that are none are passed over.
   * @returns false where the file is shorter than what was read of it: it is another one, and is read from its start next
   * @throws AppError `training_run_damaged` where it cannot be read
   */
  async read(take: (event: TrainingEvent) => void): Promise<boolean> {
    let file: FileHandle;
    try {
      file = await open(this.#path);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return this.#offset === 0;
      throw this.#unreadable(error);
    }
    try {
      const { size } = await file.stat();
      if (size < this.#offset) {
        this.#offset = 0;
        return false;
      }
      await this.#readTo(file, size, take);
      return true;
    } catch (error) {
      throw error instanceof Error && 'syscall' in error ? this.#unreadable(error) : error;
    } finally {
      await file.close();
    }
  }

  #unreadable(error: unknown): AppError {
    return trainingRunDamaged(this.#path, error instanceof Error ? error.message : String(error));
  }

  async #readTo(file: FileHandle, size: number, take: (event: TrainingEvent) => void): Promise<void> {
    let piece = Buffer.alloc(Math.min(PIECE_BYTES, size - this.#offset));
    while (this.#offset < size) {
      const { bytesRead } = await file.read(piece, 0, piece.length, this.#offset);
      const end = piece.subarray(0, bytesRead).lastIndexOf(LINE_FEED) + 1;
      if (end > 0) {
        for (const line of piece.toString('utf8', 0, end - 1).split('\n')) {
          const event = parseTrainingEvent(line);
          if (event !== null) take(event);
        }
        this.#offset += end;
      } else if (bytesRead < piece.length || this.#offset + bytesRead >= size) return;
      else piece = Buffer.alloc(piece.length * 2);
    }
  }
}
