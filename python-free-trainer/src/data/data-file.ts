import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { HashedFile } from '../../../src/protocol/training.ts';
import { dataMissing, dataUnreadable } from './errors.ts';

const LINE_FEED = 0x0a;
const GZIP = [0x1f, 0x8b];

/** A line of a data file; `text` is null where its bytes are not UTF-8. */
export interface DataLine {
  /** From 1. */
  number: number;
  text: string | null;
}

/** The SHA-256 of a data file as it lies there. @throws AppError `data_missing`, `data_unreadable` */
export async function hashDataFile(path: string): Promise<HashedFile> {
  const hash = createHash('sha256');
  const bytes = await readableBytes(path);
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch (error) {
    throw dataUnreadable(path, reasonOf(error));
  }
  return { path, sha256: hash.digest('hex'), bytes };
}

/**
 * The lines of a text file, of a gzipped one too, whatever its name. A byte-order mark and carriage returns at the ends of
 * lines are left out, lines of white space are skipped.
 * @throws AppError `data_missing`, `data_unreadable`
 */
export async function* readDataLines(path: string): AsyncGenerator<DataLine> {
  await readableBytes(path);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let number = 0;
  for await (const bytes of splitLines(await byteChunks(path))) {
    number += 1;
    const text = decode(decoder, bytes);
    const clean = number === 1 ? text?.replace(/^\uFEFF/, '') : text;
    if (clean?.trim() !== '') yield { number, text: clean ?? null };
  }

  async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let rest: Buffer[] = [];
    try {
      for await (const chunk of chunks) {
        let from = 0;
        for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
          yield rest.length === 0 ? chunk.subarray(from, end) : Buffer.concat([...rest, chunk.subarray(from, end)]);
          rest = [];
          from = end + 1;
        }
        if (from < chunk.length) rest.push(chunk.subarray(from));
      }
    } catch (error) {
      throw dataUnreadable(path, reasonOf(error));
    }
    if (rest.length > 0) yield Buffer.concat(rest);
  }
}

async function byteChunks(path: string): Promise<AsyncIterable<Buffer>> {
  const first = Buffer.alloc(GZIP.length);
  {
    await using file = await open(path, 'r');
    await file.read(first, 0, first.length, 0);
  }
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  if (!GZIP.every((byte, index) => first[index] === byte)) return file;
  const unzip = createGunzip({ chunkSize: 1 << 20 });
  file.on('error', (error) => unzip.destroy(error));
  return file.pipe(unzip);
}

/** The size of a regular file. @throws AppError `data_missing`, `data_unreadable` */
async function readableBytes(path: string): Promise<number> {
  const stats = await stat(path).catch((error: unknown) => {
    throw reasonOf(error).startsWith('ENOENT') ? dataMissing(path) : dataUnreadable(path, reasonOf(error));
  });
  if (!stats.isFile()) throw dataUnreadable(path, 'it is no file');
  return stats.size;
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
