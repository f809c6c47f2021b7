import type { Database, Statement } from 'better-sqlite3';
import { type ContentState, contentStateOf } from './content-state.ts';
import type { StoreFile } from './store-file.ts';

/** Bytes of all entries together; the ones used longest ago go first. */
const MOST_BYTES = 256 * 2 ** 20;
/** Bytes of one entry. */
export const MOST_ENTRY_BYTES = 2 ** 20;
/** Entries that wait in memory to be written together. */
const MOST_WAITING = 512;
const WAIT_MS = 500;
/** The time of use is noted again after so long. */
const USED_STEP_MS = 3_600_000;

interface Waiting {
  value: Buffer;
  sources: readonly ContentState[];
}

/**
 * What was computed from databases' contents, by a key that names the content: results of gold queries, verdicts. Entries
 * are written some at a time, and only while the files that they came from are as they were when the work began.
 */
export class ResultCache {
  readonly #file: StoreFile;
  readonly #maxBytes: number;
  readonly #waiting = new Map<string, Waiting>();
  readonly #used = new Set<string>();
  readonly #reads = new WeakMap<Database, Statement<[string], { value: Buffer; used: number }>>();
  #timer: NodeJS.Timeout | null = null;
  #hasGrown = false;

  constructor(file: StoreFile, maxBytes: number = MOST_BYTES) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** What is kept under a key, or null. */
  get(key: string): Buffer | null {
    const waiting = this.#waiting.get(key);
    if (waiting) return waiting.value;
    const row = this.#file.run((database) => this.#reader(database).get(key), undefined);
    if (!row) return null;
    if (Date.now() - row.used > USED_STEP_MS) this.#used.add(key);
    return row.value;
  }

  #reader(database: Database): Statement<[string], { value: Buffer; used: number }> {
    let statement = this.#reads.get(database);
    if (!statement) {
      statement = database.prepare<[string], { value: Buffer; used: number }>(
        'SELECT value, used FROM score_cache WHERE key = ?',
      );
      this.#reads.set(database, statement);
    }
    return statement;
  }

  /** Keeps a value of at most `MOST_ENTRY_BYTES`. @param sources states of the databases from before the work */
  put(key: string, value: Buffer, sources: readonly ContentState[]): void {
    if (value.length > MOST_ENTRY_BYTES) return;
    this.#waiting.set(key, { value, sources });
    if (this.#waiting.size >= MOST_WAITING) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), WAIT_MS).unref();
  }

  /** Writes what waits. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const isUnchanged = unchanged();
    const entries = [...this.#waiting].filter(([, { sources }]) => sources.every(isUnchanged));
    const used = [...this.#used];
    this.#waiting.clear();
    this.#used.clear();
    if (entries.length === 0 && used.length === 0) return;
    const now = Date.now();
    this.#hasGrown ||= entries.length > 0;
    this.#file.run(
      (database) => database.transaction(() => write(database, entries, used, now)).immediate(),
      undefined,
    );
  }

  /** Writes what waits and lets go of what is too much. */
  close(): void {
    this.flush();
    if (this.#hasGrown) this.#file.run((database) => prune(database, this.#maxBytes), undefined);
    this.#hasGrown = false;
  }
}

/** A check whether databases are as they were; each file is looked at once. */
function unchanged(): (state: ContentState) => boolean {
  const now = new Map<string, string | null>();
  return ({ path, text }) => {
    let found = now.get(path);
    if (found === undefined) {
      found = contentStateOf(path)?.text ?? null;
      now.set(path, found);
    }
    return found === text;
  };
}

function write(database: Database, entries: readonly [string, Waiting][], used: readonly string[], now: number): void {
  const insert = database.prepare('INSERT OR REPLACE INTO score_cache (key, value, bytes, used) VALUES (?, ?, ?, ?)');
  for (const [key, { value }] of entries) insert.run(key, value, value.length + key.length, now);
  const touch = database.prepare('UPDATE score_cache SET used = ? WHERE key = ?');
  for (const key of used) touch.run(now, key);
}

/** Removes the entries used longest ago until the rest fits. */
function prune(database: Database, maxBytes: number): void {
  database
    .prepare(
      `DELETE FROM score_cache WHERE id IN (
        SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY used DESC, id DESC) AS total FROM score_cache)
        WHERE total > ?) AND (SELECT sum(bytes) FROM score_cache) > ?`,
    )
    .run(maxBytes, maxBytes);
}
