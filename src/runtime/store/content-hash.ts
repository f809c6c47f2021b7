import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { type ContentState, contentStateOf } from './content-state.ts';
import type { StoreFile } from './store-file.ts';

/** Databases whose hashes are kept; the ones added longest ago go first. */
const MOST_FILES = 10_000;

/** A larger file is known by its path and state instead of its bytes, which would take seconds to read. */
const MOST_BYTES = 2 ** 30;

/** The SHA-256 of databases' contents, each read once as long as its file stays as it is. */
export class ContentHashes {
  readonly #file: StoreFile;
  readonly #known = new Map<string, { state: string; hash: Promise<string | null> }>();

  constructor(file: StoreFile) {
    this.#file = file;
  }

  /**
   * The SHA-256 of a database's bytes and of its log's, in lower-case hex; null where the file changes meanwhile. Two
   * databases share it only where they hold the same, wherever they lie (one of more than 1 GiB: where it is the same file
   * and has not been touched).
   */
  of(state: ContentState): Promise<string | null> {
    const known = this.#known.get(state.path);
    if (known?.state === state.text) return known.hash;
    const hash = this.#find(state);
    this.#known.set(state.path, { state: state.text, hash });
    return hash;
  }

  async #find(state: ContentState): Promise<string | null> {
    if (state.bytes > MOST_BYTES) return createHash('sha256').update(`${state.path}\0${state.text}`).digest('hex');
    const kept = this.#file.run((database) => read(database, state), null);
    if (kept !== null) return kept;
    const hash = await hashOf(state).catch(() => null);
    if (hash === null || contentStateOf(state.path)?.text !== state.text) return null;
    this.#file.run((database) => write(database, state, hash), undefined);
    return hash;
  }
}

async function hashOf({ path, hasLog }: ContentState): Promise<string> {
  const hash = createHash('sha256');
  for (const file of hasLog ? [path, `${path}-wal`] : [path]) {
    const pieces: AsyncIterable<Uint8Array> = createReadStream(file, { highWaterMark: 1 << 20 });
    for await (const piece of pieces) hash.update(piece);
    // So that no bytes can move from the file into its log unnoticed.
    hash.update('\0');
  }
  return hash.digest('hex');
}

function read(database: Database, state: ContentState): string | null {
  const row: unknown = database
    .prepare('SELECT hash FROM content_hash WHERE path = ? AND state = ?')
    .pluck()
    .get(state.path, state.text);
  return typeof row === 'string' ? row : null;
}

function write(database: Database, state: ContentState, hash: string): void {
  database
    .prepare('INSERT OR REPLACE INTO content_hash (path, state, hash) VALUES (?, ?, ?)')
    .run(state.path, state.text, hash);
  database.prepare('DELETE FROM content_hash WHERE id <= (SELECT max(id) FROM content_hash) - ?').run(MOST_FILES);
}
