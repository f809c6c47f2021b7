import { createHash } from 'node:crypto';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** A line as it stands in the file. */
export interface RawLine {
  /** Where it begins in the bytes that were split. */
  start: number;
  /** Its bytes without line feed, and without the carriage return of a Windows line end: what the chain hashes. */
  bytes: Buffer;
  /** False for the last line where no line feed ends it. */
  ended: boolean;
  /** Ends as lines end on Windows. */
  windows: boolean;
}

/** The lines of a file, or of its end. */
export function splitLines(bytes: Buffer): RawLine[] {
  const lines: RawLine[] = [];
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const ended = feed >= 0;
    const end = ended ? feed : bytes.length;
    const windows = ended && end > start && bytes[end - 1] === CARRIAGE_RETURN;
    lines.push({ start, bytes: bytes.subarray(start, windows ? end - 1 : end), ended, windows });
    start = end + 1;
  }
  return lines;
}

/** Whether the last line has its line feed, or there is none. */
export function isEnded(bytes: Buffer): boolean {
  return bytes.length === 0 || bytes.at(-1) === LINE_FEED;
}

/** The hash that the next line of the ledger carries as `prev`: SHA-256, in hexadecimal digits. */
export function hashOf(line: RawLine): string {
  return createHash('sha256').update(line.bytes).digest('hex');
}

/** The text of a line. */
export function textOf(line: RawLine): string {
  return line.bytes.toString('utf8');
}
