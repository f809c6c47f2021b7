import { open } from 'node:fs/promises';

/** First bytes of every SQLite 3 database (https://sqlite.org/fileformat2.html#magic_header_string). */
export const SQLITE_HEADER = 'SQLite format 3\0';

/** True for a file that begins as a SQLite database does; false for every other one, also where it cannot be read. */
export async function hasSqliteHeader(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'r');
    const bytes = Buffer.alloc(SQLITE_HEADER.length);
    await file.read(bytes, 0, bytes.length, 0);
    return bytes.toString('latin1') === SQLITE_HEADER;
  } catch {
    return false;
  }
}
