import { deserialize, serialize } from 'node:v8';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { MOST_ENTRY_BYTES } from '../store/result-cache.ts';
import type { Store } from '../store/store.ts';
import { keyOf, RecentMap } from './kept.ts';
import type { KnownDatabase } from './known-database.ts';
import { isLasting, type ViewLists } from './lasting.ts';
import { failed, type Ran, runQuery } from './run-query.ts';

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

/** The results of gold queries: each runs once for a content of its database, however many predictions it has. */
export class GoldResults {
  readonly #parts: GoldParts;
  readonly #recent = new RecentMap<Ran>(MOST_MEMORY);
  readonly #running = new Map<string, Promise<Ran>>();

  constructor(parts: GoldParts) {
    this.#parts = parts;
  }

  /** @param known null: nothing of the database may be kept */
  async get(db: string, known: KnownDatabase | null, sql: string, signal?: CancelSignal): Promise<Ran> {
    if (known === null) return this.#run(db, sql, signal);
    const key = keyOf('gold', [known.content, sql]);
    for (;;) {
      const kept = this.#recent.get(key) ?? this.#stored(key);
      if (kept) return withinTime(kept, this.#parts.timeoutMs);
      const running = this.#running.get(key);
      // Somebody else's run may be cancelled for reasons of their own; then it is run again.
      const ran = running ? await running : await this.#start(key, known, sql, signal);
      if (ran.status !== 'cancelled' || signal?.aborted || !running) return ran;
    }
  }

  #run(db: string, sql: string, signal?: CancelSignal): Promise<Ran> {
    return runQuery(this.#parts.sandbox, { db, sql, timeoutMs: this.#parts.timeoutMs }, signal);
  }

  #start(key: string, known: KnownDatabase, sql: string, signal?: CancelSignal): Promise<Ran> {
    const running = this.#compute(key, known, sql, signal).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #compute(key: string, known: KnownDatabase, sql: string, signal?: CancelSignal): Promise<Ran> {
    const ran = await this.#run(known.db, sql, signal);
    const views = await this.#parts.views.of(known);
    if (isLasting(sql, ran, views)) this.#keep(key, known, ran);
    // Another prediction of the same gold need not wait for the same end.
    else if (ran.status === 'timeout' || ran.status === 'oom') this.#recent.set(key, ran);
    return ran;
  }

  #keep(key: string, known: KnownDatabase, ran: Ran): void {
    this.#recent.set(key, ran, weightOf(ran));
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
