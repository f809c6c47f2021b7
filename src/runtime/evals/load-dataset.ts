import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { parseDataset } from '../../core/evals/dataset/parse.ts';
import type { DatasetFormat, Item } from '../../protocol/dataset.ts';
import { SQLITE_HEADER } from '../sqlite-header.ts';
import {
  datasetEmpty,
  datasetInvalid,
  datasetIsFolder,
  datasetMissing,
  datasetNotUtf8,
  datasetTooLarge,
  datasetUnreadable,
  notADataset,
} from './dataset-errors.ts';

/** A dataset file with its items, in the file's order. */
export interface Dataset {
  /** Absolute. */
  path: string;
  /** File name. */
  name: string;
  format: DatasetFormat;
  /** SHA-256 of the file's bytes, in hex. */
  hash: string;
  items: Item[];
}

/** Largest file that is read: a text of it must fit a JavaScript string. */
const MAX_BYTES = 500 * 2 ** 20;

/** First bytes, in hex, of files that people name in place of a dataset. */
const OTHER_FILES: readonly (readonly [string, string])[] = [
  [Buffer.from(SQLITE_HEADER, 'latin1').toString('hex'), 'a SQLite database'],
  ['1f8b', 'a gzip archive: unpack it first'],
  ['504b0304', 'a zip archive: unpack it first'],
  ['28b52ffd', 'a zstd archive: unpack it first'],
  ['50415231', 'a Parquet file: export it as JSON or CSV'],
  ['fffe', 'a text in UTF-16: save it as UTF-8'],
  ['feff', 'a text in UTF-16: save it as UTF-8'],
];

/** Start of the pointer that Git LFS leaves in place of a file (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md). */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/**
 * Reads a dataset file. Its format is told by name and content where `options.format` does not force one.
 * @throws AppError where the file cannot be read, is no dataset, or has faults (the first 20, with their lines)
 */
export async function loadDataset(path: string, options: { format?: DatasetFormat } = {}): Promise<Dataset> {
  const full = resolve(path);
  const bytes = await readBytes(full);
  const text = decode(full, bytes);
  const name = basename(full);
  const parsed = parseDataset(text, { name, format: options.format ?? null });
  if ('other' in parsed) throw notADataset(full, parsed.other);
  const { format, items, problems } = parsed;
  if (problems.count > 0) throw datasetInvalid(full, problems.inOrder, problems.count);
  return { path: full, name, format, hash: createHash('sha256').update(bytes).digest('hex'), items };
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    await using file = await open(path, 'r');
    const stats = await file.stat();
    if (stats.isDirectory()) throw datasetIsFolder(path);
    if (stats.size > MAX_BYTES) throw datasetTooLarge(path, stats.size, MAX_BYTES);
    return await file.readFile();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') throw datasetMissing(path);
    if (code === 'EISDIR') throw datasetIsFolder(path);
    if (/^E[A-Z]+$/.test(code)) throw datasetUnreadable(path, code);
    throw error;
  }
}

/** The text of a file without its byte order mark. @throws AppError where it is no text, or blank */
function decode(path: string, bytes: Buffer): string {
  const begin = bytes.toString('hex', 0, 16);
  const other = OTHER_FILES.find(([start]) => begin.startsWith(start));
  if (other) throw notADataset(path, other[1]);
  if (!isUtf8(bytes)) throw datasetNotUtf8(path, lineOfFault(bytes));
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') throw datasetEmpty(path);
  if (text.startsWith(LFS_POINTER)) throw notADataset(path, 'a pointer of Git LFS: fetch the file by "git lfs pull"');
  return text;
}

/** The first line, from 1, that is not UTF-8. */
function lineOfFault(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const feed = bytes.indexOf(10, start);
    const end = feed < 0 ? bytes.length : feed;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
  return line;
}
