import type { Hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { modelMissing, modelUnreadable } from './errors.ts';

/** Bytes read at once where a file is read from beginning to end. */
export const PIECE_BYTES = 8 << 20;

/** Node.js reads less than 2 GiB in one call. */
const MOST_AT_ONCE = 1 << 30;

/** A regular file, open for reading at any position, that is expected to stay as it was when it was opened. */
export class ModelFile {
  readonly path: string;
  readonly bytes: number;
  readonly #handle: FileHandle;
  readonly #modified: bigint;

  private constructor(path: string, handle: FileHandle, state: BigIntStats) {
    this.path = path;
    this.bytes = Number(state.size);
    this.#handle = handle;
    this.#modified = state.mtimeNs;
  }

  /** @throws AppError `model_missing`, `model_unreadable` where it is no regular file or is empty */
  static async open(path: string): Promise<ModelFile> {
    let handle: FileHandle;
    try {
      // Looked at before it is opened: opening a pipe would wait for its writer.
      if (!(await stat(path)).isFile()) throw modelUnreadable(path, 'it is not a regular file');
      handle = await open(path, 'r');
    } catch (error) {
      throw openFailure(path, error);
    }
    const state = await handle.stat({ bigint: true });
    if (state.isFile() && state.size > 0n) return new ModelFile(path, handle, state);
    await handle.close();
    throw modelUnreadable(path, state.isFile() ? 'it is empty' : 'it is not a regular file');
  }

  /** The bytes from `position` on. @throws AppError `model_unreadable` where the file ends before */
  async read(position: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(length);
    await this.readInto(bytes, position);
    return bytes;
  }

  /** Fills `bytes` from `position` on. @throws AppError `model_unreadable` where the file ends before */
  async readInto(bytes: Uint8Array, position: number): Promise<void> {
    let done = 0;
    while (done < bytes.length) {
      const { bytesRead } = await this.#handle
        .read(bytes, done, Math.min(bytes.length - done, MOST_AT_ONCE), position + done)
        .catch((error: unknown) => {
          throw modelUnreadable(this.path, reasonOf(error));
        });
      if (bytesRead === 0)
        throw modelUnreadable(
          this.path,
          `it ends after ${position + done} bytes, where ${position + bytes.length} are needed`,
        );
      done += bytesRead;
    }
  }

  /** @throws AppError `model_unreadable` where the file was written to since it was opened */
  async checkUnchanged(): Promise<void> {
    const state = await this.#handle.stat({ bigint: true });
    if (Number(state.size) !== this.bytes || state.mtimeNs !== this.#modified)
      throw modelUnreadable(this.path, 'it changed while it was read');
  }

  /** Feeds the whole content to a hash. */
  async hashInto(hash: Hash): Promise<void> {
    const buffer = new Uint8Array(Math.min(PIECE_BYTES, this.bytes));
    for (let position = 0; position < this.bytes; position += buffer.length) {
      const piece = buffer.subarray(0, Math.min(buffer.length, this.bytes - position));
      await this.readInto(piece, position);
      hash.update(piece);
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

function openFailure(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error;
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return modelMissing(path);
  return modelUnreadable(path, reasonOf(error));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
