import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { HashedFile } from '../../../src/protocol/training.ts';
import type { ModelFile } from './model-file.ts';

/** A file with the SHA-256 of its bytes. @throws AppError `model_unreadable` */
export async function hashFile(file: ModelFile): Promise<HashedFile> {
  const hash = createHash('sha256');
  await file.hashInto(hash);
  return { path: file.path, sha256: hash.digest('hex'), bytes: file.bytes };
}

/** Several files of a folder as one: the SHA-256 of their contents in this order, each behind its size and a line feed. */
export async function hashFiles(folder: string, files: readonly ModelFile[]): Promise<HashedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const file of files) {
    hash.update(`${file.bytes}\n`);
    await file.hashInto(hash);
    bytes += file.bytes;
  }
  return { path: folder, sha256: hash.digest('hex'), bytes };
}

/** SHA-256 and size of a file that is no model. @throws the error of the file system */
export async function hashPath(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}
