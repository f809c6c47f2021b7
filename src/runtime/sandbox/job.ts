import type { CancelSignal } from '../../core/ports.ts';
import type { QueryRequest, QueryResult } from '../../protocol/query.ts';
import type { SandboxRequest } from '../../protocol/sandbox-channel.ts';
import type { Snapshot } from './snapshots.ts';

const DEFAULTS = { timeoutMs: 30_000, maxRows: 1_000, maxBytes: 16 * 2 ** 20, maxCellBytes: 2 ** 20, distinct: false };

/** The longest wait for a lock of another program: what SQLite's own shell users are used to. */
const LOCK_WAIT_MS = 5_000;
/** Share of the time left that a wait for a lock may take: the rest is for the query, or for saying that it is locked. */
const LOCK_WAIT_SHARE = 0.75;

/** The longest time that a timer of Node takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A request whose limits are whole numbers that a message and a timer can carry: Infinity becomes the largest one. */
function bounded(request: Required<QueryRequest>): Required<QueryRequest> {
  const whole = (value: number, most: number) => Math.max(0, Math.min(most, Math.floor(value)));
  return {
    ...request,
    timeoutMs: whole(request.timeoutMs, MAX_TIMER_MS),
    maxRows: whole(request.maxRows, Number.MAX_SAFE_INTEGER),
    maxBytes: whole(request.maxBytes, Number.MAX_SAFE_INTEGER),
    // A value is never larger than SQLite's own limit.
    maxCellBytes: whole(request.maxCellBytes, 2 ** 30),
  };
}

export interface JobHandlers {
  resolve(result: QueryResult): void;
  reject(error: Error): void;
  /** The caller's signal aborted. */
  cancel(): void;
}

/** One query on its way through the pool. It ends once: further ends are ignored. */
export class Job {
  readonly request: Required<QueryRequest>;
  snapshot: Snapshot | null = null;
  /** Runs when the deadline is over; set by who starts the clock. */
  #timer: NodeJS.Timeout | null = null;
  #startedAt: number | null = null;
  #hasEnded = false;
  #signal: CancelSignal | null;
  #handlers: JobHandlers;

  constructor(request: QueryRequest, signal: CancelSignal | null, handlers: JobHandlers) {
    this.request = bounded({ ...DEFAULTS, ...request });
    this.#signal = signal;
    this.#handlers = handlers;
    signal?.addEventListener('abort', handlers.cancel, { once: true });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Milliseconds since the query first reached a child; 0 before. */
  get elapsedMs(): number {
    return this.#startedAt === null ? 0 : performance.now() - this.#startedAt;
  }

  /** Starts the clock; a clock that runs already goes on. */
  startClock(onDeadline: () => void): void {
    if (this.#startedAt !== null) return;
    this.#startedAt = performance.now();
    // Where this process was busy, the reply may have come in time and not been read yet: that comes before the next turn.
    this.#timer = setTimeout(() => setImmediate(() => this.#hasEnded || onDeadline()), this.request.timeoutMs);
  }

  message(id: number): SandboxRequest {
    const { db, sql, timeoutMs, maxRows, maxBytes, maxCellBytes, distinct } = this.request;
    const left = Math.max(0, timeoutMs - this.elapsedMs);
    const busyMs = Math.floor(Math.min(LOCK_WAIT_MS, left * LOCK_WAIT_SHARE));
    return { id, db, sql, maxRows, maxBytes, maxCellBytes, distinct, busyMs, snapshot: this.snapshot?.path ?? null };
  }

  finish(result: QueryResult): void {
    if (this.#end()) this.#handlers.resolve(this.#withNotes(result));
  }

  fail(error: Error): void {
    if (this.#end()) this.#handlers.reject(error);
  }

  #withNotes(result: QueryResult): QueryResult {
    return this.snapshot === null ? result : { ...result, notes: [this.snapshot.note, ...result.notes] };
  }

  #end(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#handlers.cancel);
    return true;
  }
}
