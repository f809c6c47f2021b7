import { deserialize, serialize } from 'node:v8';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { MOST_ENTRY_BYTES } from '../store/result-cache.ts';
import type { Store } from '../store/store.ts';
import { keyOf, RecentMap } from './kept.ts';
import type { KnownDatabase } from './known-database.ts';
import { isLasting, type ViewLists } from './lasting.ts';
import { failed, type Ran, runQuery, type Size } from './run-query.ts';

/** Memory for the results of gold queries, in bytes, about. */
const MOST_MEMORY = 128 * 2 ** 20;
/** A result with more cells is not kept in the store. */
const MOST_CELLS = 100_000;

export interface GoldParts {
  sandbox: Sandbox;
  store: Store | null;
  views: ViewLists;
  timeoutMs: number;
}

/** Under which the whole result of a gold is kept, and one that was cut or stopped under the limits of its run. */
interface Keys {
  key: string;
  runKey: string;
}

/** A gold query. */
export interface GoldQuery {
  db: string;
  /** null: nothing of the database may be kept. */
  known: KnownDatabase | null;
  sql: string;
  size: Size;
}

/** The results of gold queries: each runs once for a content of its database, however many predictions it has. */
export class GoldResults {
  readonly #parts: GoldParts;
  readonly #recent = new RecentMap<Ran>(MOST_MEMORY);
  readonly #running = new Map<string, Promise<Ran>>();

  constructor(parts: GoldParts) {
    this.#parts = parts;
  }

  async get(query: GoldQuery, signal?: CancelSignal): Promise<Ran> {
    const { known, sql, size } = query;
    if (known === null) return this.#run(query, signal);
    const key = keyOf('gold', [known.content, sql]);
    const runKey = `${key} ${size}`;
    for (;;) {
      const kept = this.#recent.get(key) ?? this.#recent.get(runKey) ?? this.#stored(key);
      if (kept) return withinTime(kept, this.#parts.timeoutMs);
      const running = this.#running.get(runKey);
      // Somebody else's run may be cancelled for reasons of their own; then it is run again.
      const ran = running ? await running : await this.#start(query, known, { key, runKey }, signal);
      if (ran.status !== 'cancelled' || signal?.aborted || !running) return ran;
    }
  }

  #run({ db, sql, size }: GoldQuery, signal?: CancelSignal): Promise<Ran> {
    return runQuery(this.#parts.sandbox, { db, sql, size, timeoutMs: this.#parts.timeoutMs }, signal);
  }

  #start(query: GoldQuery, known: KnownDatabase, keys: Keys, signal?: CancelSignal): Promise<Ran> {
    const running = this.#compute(query, known, keys, signal).finally(() => this.#running.delete(keys.runKey));
    this.#running.set(keys.runKey, running);
    return running;
  }

  async #compute(query: GoldQuery, known: KnownDatabase, keys: Keys, signal?: CancelSignal): Promise<Ran> {
    const ran = await this.#run(query, signal);
    const views = await this.#parts.views.of(known);
    if (isLasting(query.sql, ran, views)) this.#keep(keys, known, ran);
    // Another prediction of the same gold need not wait for the same end.
    else if (ran.status === 'timeout' || ran.status === 'oom') this.#recent.set(keys.runKey, ran);
    return ran;
  }

  #keep({ key, runKey }: Keys, known: KnownDatabase, ran: Ran): void {
    this.#recent.set(ran.truncated ? runKey : key, ran, weightOf(ran));
    const { store } = this.#parts;
    if (store === null || ran.truncated || ran.rows.length * ran.columns.length > MOST_CELLS) return;
    const value = serialize(ran);
    if (value.length <= MOST_ENTRY_BYTES) store.results.put(key, value, [known.state]);
  }

  #stored(key: string): Ran | null {
    const value = this.#parts.store?.results.get(key);
    if (!value) return null;
    try {
      const ran: Ran = deserialize(value);
      this.#recent.set(key, ran, weightOf(ran));
      return ran;
    } catch {
      // A damaged entry is as good as none: the query runs again and replaces it.
      return null;
    }
  }
}

/** A kept result counts with the time it took: under a shorter limit it would not have come back. */
function withinTime(ran: Ran, timeoutMs: number): Ran {
  if (ran.status !== 'ok' || ran.ms <= timeoutMs) return ran;
  return failed(
    'timeout',
    'deadline',
    `The query took ${Math.round(ran.ms)} ms; its time limit is ${timeoutMs} ms.`,
    ran.ms,
  );
}

/** About how many bytes of memory a result takes. */
function weightOf({ rows, columns }: Ran): number {
  let bytes = 1_000 + rows.length * (48 + 8 * columns.length);
  for (const row of rows)
    for (const cell of row) {
      if (typeof cell === 'string') bytes += 16 + cell.length;
      else if (typeof cell === 'object' && cell !== null) bytes += 100 + ('byteLength' in cell ? cell.byteLength : 0);
    }
  return bytes;
}
