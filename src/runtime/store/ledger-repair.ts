import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseLine } from '../../core/ledger/parse-line.ts';
import { hashOf, type RawLine, splitLines, textOf } from './ledger-lines.ts';

const CHUNK = 64 * 1024;
/** The last line, and the one that it follows. */
const NEEDED = 2;

/** Where and behind what the next line goes. */
export interface LedgerEnd {
  /** Bytes of the file that stay. */
  size: number;
  /** SHA-256 of the last line; null where there is none. */
  prev: string | null;
  /** The last line lacks its line feed, which is to be written first. */
  unended: boolean;
  /** What was repaired, a sentence each. */
  notes: string[];
}

/** The last lines of a file: two at least, where it has them. `from` is where they begin. */
async function lastLines(file: FileHandle, size: number): Promise<{ from: number; lines: RawLine[] }> {
  for (let length = CHUNK; ; length *= 4) {
    const from = Math.max(0, size - length);
    const bytes = Buffer.alloc(size - from);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    const lines = splitLines(bytes.subarray(0, bytesRead));
    if (from === 0) return { from, lines };
    // The first of the lines may have begun further up.
    if (lines.length > NEEDED) return { from, lines: lines.slice(1) };
  }
}

/** A new file beside the ledger, never one that is there. */
async function openAside(path: string, time: Date): Promise<{ file: FileHandle; path: string }> {
  const stamp = time.toISOString().replaceAll(/[-:.]/g, '');
  for (let count = 1; ; count += 1) {
    const aside = `${path}.torn-${stamp}${count === 1 ? '' : `-${count}`}`;
    try {
      return { file: await open(aside, 'wx'), path: aside };
    } catch (error) {
      const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!isThere) throw error;
    }
  }
}

async function putAside(path: string, bytes: Buffer, time: Date): Promise<string> {
  const aside = await openAside(path, time);
  try {
    await aside.file.writeFile(bytes);
    await aside.file.sync();
  } finally {
    await aside.file.close();
  }
  return aside.path;
}

/** A line without a line feed that is whole all the same: JSON, and it follows the line before. */
function isWhole(last: RawLine, before: RawLine | undefined): boolean {
  const parsed = parseLine(textOf(last));
  return parsed.kind !== 'no_json' && parsed.prev === (before ? hashOf(before) : null);
}

/**
 * Finds the end of a ledger, and repairs it where a line was torn: by a process or machine that died while it wrote, or by
 * an editor. What is no line is moved to a file of its own beside the ledger. Only under the ledger's lock.
 *
 * @param file the ledger, open for reading and writing, `size` bytes long
 */
export async function repairEnd(file: FileHandle, path: string, size: number, time: Date): Promise<LedgerEnd> {
  const { from, lines } = await lastLines(file, size);
  const last = lines.at(-1);
  const before = lines.at(-2);
  if (!last) return { size, prev: null, unended: false, notes: [] };
  const isJson = parseLine(textOf(last)).kind !== 'no_json';
  if (last.ended && isJson) return { size, prev: hashOf(last), unended: false, notes: [] };
  if (!last.ended && isWhole(last, before)) {
    const notes = [`The last line of the ledger ${path} lacked its line feed, which was added.`];
    return { size, prev: hashOf(last), unended: true, notes };
  }
  const start = from + last.start;
  const torn = Buffer.alloc(size - start);
  await file.read(torn, 0, torn.length, start);
  const aside = await putAside(path, torn, time);
  await file.truncate(start);
  const note = `The last line of the ledger ${path} was torn; its ${torn.length} bytes are now in ${basename(aside)} beside it.`;
  return { size: start, prev: before ? hashOf(before) : null, unended: false, notes: [note] };
}
