import { closeSync, lstatSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import type { AppError } from '../../protocol/errors.ts';
import { SQLITE_HEADER } from '../sqlite-header.ts';
import {
  companionNotAFile,
  databaseEmpty,
  databaseEncrypted,
  databaseIsFolder,
  databaseMissing,
  databaseNotAFile,
  databaseTruncated,
  databaseUnreadable,
  notADatabase,
} from './errors.ts';

/** What the first 100 bytes of a database file say (https://sqlite.org/fileformat2.html#the_database_header). */
export interface Header {
  pageSize: number;
  /** True where the file is in WAL mode. */
  wal: boolean;
  changeCounter: number;
  /** Pages that the file should have; null where the header does not know. */
  pageCount: number | null;
}

/** What tells one state of a file from another. */
export interface FileState {
  device: number;
  inode: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

const HEADER_BYTES = 100;
const SAMPLE_BYTES = 4096;

/** First bytes of files that people take for databases. */
const KINDS: [string, string][] = [
  ['504b0304', 'a zip archive'],
  ['1f8b', 'a gzip archive'],
  ['425a68', 'a bzip2 archive'],
  ['fd377a585a00', 'an xz archive'],
  ['28b52ffd', 'a zstd archive'],
  ['377abcaf271c', 'a 7z archive'],
  ['526172211a07', 'a rar archive'],
  ['25504446', 'a PDF document'],
  ['89504e47', 'a PNG picture'],
  ['ffd8ff', 'a JPEG picture'],
  ['47494638', 'a GIF picture'],
  ['50415231', 'a Parquet file'],
  ['4455434b', 'a DuckDB database'],
  ['000100005374616e64617264204a6574', 'a Microsoft Access database'],
  ['000100005374616e6461726420414345', 'a Microsoft Access database'],
  ['2a2a205468697320', 'a SQLite 2 database'],
];

/**
 * State of a regular file that must be there, and where it lies: SQLite keeps the companions of a database beside the
 * file itself, not beside a link to it. @throws AppError where it is missing, unreadable or no file.
 */
export function locate(db: string): { path: string; state: FileState } {
  let path = db;
  let stats: Stats;
  try {
    stats = lstatSync(db);
    if (stats.isSymbolicLink()) {
      path = realpathSync.native(db);
      stats = statSync(path);
    }
  } catch (error) {
    throw openFailure(db, error);
  }
  if (stats.isDirectory()) throw databaseIsFolder(db);
  if (!stats.isFile()) throw databaseNotAFile(db);
  return { path, state: toState(stats) };
}

/** State of a companion of a database; null where there is none. @throws AppError where it is a link, folder or device. */
export function stateOfCompanion(db: string, path: string): FileState | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  // SQLite would follow a link, to whatever it points.
  if (!stats.isFile()) throw companionNotAFile(db, path);
  return toState(stats);
}

function toState(stats: Stats): FileState {
  return {
    device: stats.dev,
    inode: stats.ino,
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
  };
}

function openFailure(db: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return code === 'ENOENT' || code === 'ENOTDIR' ? databaseMissing(db) : databaseUnreadable(db, code);
}

/**
 * Reads the header of a located file. @param db the path as the user gave it, for messages.
 * @throws AppError where the file is not a whole SQLite database.
 */
export function readHeader(db: string, path: string, state: FileState): Header {
  const bytes = firstBytes(db, path, HEADER_BYTES);
  if (bytes.length === 0) throw databaseEmpty(db);
  if (bytes.toString('latin1', 0, SQLITE_HEADER.length) !== SQLITE_HEADER)
    throw wrongMagic(db, firstBytes(db, path, SAMPLE_BYTES), state.size);
  if (bytes.length < HEADER_BYTES) throw databaseTruncated(db, bytes.length, null);
  return parseHeader(bytes);
}

function firstBytes(db: string, path: string, length: number): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw openFailure(db, error);
  }
  try {
    const buffer = Buffer.allocUnsafe(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, 0));
  } catch (error) {
    throw openFailure(db, error);
  } finally {
    closeSync(file);
  }
}

function parseHeader(bytes: Buffer): Header {
  const stored = bytes.readUInt16BE(16);
  const changeCounter = bytes.readUInt32BE(24);
  const pageCount = bytes.readUInt32BE(28);
  // The page count is valid only where the version that wrote it also wrote the change counter.
  const isValid = pageCount > 0 && bytes.readUInt32BE(92) === changeCounter;
  return {
    pageSize: stored === 1 ? 65536 : stored,
    wal: bytes[18] === 2 || bytes[19] === 2,
    changeCounter,
    pageCount: isValid ? pageCount : null,
  };
}

function wrongMagic(db: string, bytes: Buffer, size: number): Error {
  const hex = bytes.toString('hex', 0, 32);
  const kind = KINDS.find(([start]) => hex.startsWith(start))?.[1];
  if (kind !== undefined) return notADatabase(db, kind);
  if (bytes.length < HEADER_BYTES && SQLITE_HEADER.startsWith(bytes.toString('latin1')))
    return databaseTruncated(db, size, null);
  // An encrypted database is whole pages of noise; 512 random bytes have about 7.6 bits a byte.
  if (size % 512 === 0 && bitsPerByte(bytes) > 7.2) return databaseEncrypted(db);
  return notADatabase(db, isText(bytes) ? 'a text file' : null);
}

/** Shannon entropy of the bytes. */
function bitsPerByte(bytes: Buffer): number {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  let bits = 0;
  for (const count of counts) if (count > 0) bits -= (count / bytes.length) * Math.log2(count / bytes.length);
  return bits;
}

function isText(bytes: Buffer): boolean {
  return bytes.every((byte) => byte >= 32 || byte === 9 || byte === 10 || byte === 13);
}

/** The error of a file that is shorter than its header says; null where it is not. A WAL may hold what it lacks. */
export function checkWhole(
  db: string,
  file: { header: Header; state: FileState; wal: FileState | null },
): AppError | null {
  const { header, state, wal } = file;
  if (header.pageCount === null || (wal !== null && wal.size > 0)) return null;
  const expected = header.pageCount * header.pageSize;
  return state.size < expected ? databaseTruncated(db, state.size, expected) : null;
}
