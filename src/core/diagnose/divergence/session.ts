import { AppError } from '../../../protocol/errors.ts';
import type { QueryRequest, QueryResult } from '../../../protocol/query.ts';
import type { CancelSignal, Sandbox } from '../../ports.ts';

/** Time and number of queries that a diagnosis may take. */
export interface SessionLimits {
  /** Of one query, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: CancelSignal | undefined;
}

/** A sandbox on one database that counts what is asked of it. */
export class Session implements Sandbox {
  readonly db: string;
  readonly timeoutMs: number;
  readonly signal: CancelSignal | undefined;
  readonly #sandbox: Sandbox;
  readonly #asked = new Map<string, Promise<QueryResult>>();
  #queries = 0;
  #ms = 0;

  constructor(sandbox: Sandbox, db: string, { timeoutMs, signal }: SessionLimits) {
    this.#sandbox = sandbox;
    this.db = db;
    this.timeoutMs = timeoutMs;
    this.signal = signal;
  }

  /** Queries that were run, and the time that SQLite took for them, in milliseconds. */
  get effort(): { queries: number; ms: number } {
    return { queries: this.#queries, ms: this.#ms };
  }

  /**
   * A query that was asked before is not run again.
   * @throws AppError `cancelled`
   */
  query(request: QueryRequest, signal?: CancelSignal): Promise<QueryResult> {
    const key = `${request.maxRows} ${request.maxBytes} ${request.sql}`;
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    const asked = this.#run(request, signal);
    this.#asked.set(key, asked);
    return asked;
  }

  async #run(request: QueryRequest, signal?: CancelSignal): Promise<QueryResult> {
    const result = await this.#sandbox.query(request, signal ?? this.signal);
    this.#queries++;
    this.#ms += result.ms;
    if (result.status === 'cancelled') throw diagnosisCancelled();
    return result;
  }

  /** The rows of a query on the session's database; null where it does not run to its end. */
  async rows(sql: string, maxRows = 1_000): Promise<QueryResult['rows'] | null> {
    const result = await this.query({ db: this.db, sql, maxRows, timeoutMs: this.timeoutMs });
    return result.status === 'ok' ? result.rows : null;
  }
}

function diagnosisCancelled(): AppError {
  return new AppError('cancelled', 'The diagnosis was cancelled.');
}
