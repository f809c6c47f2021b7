import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { quoteIdentifier } from '../../core/schema/identifiers.ts';
import { RecentMap } from '../score/kept.ts';
import { contentStateOf } from '../store/content-state.ts';

/** Different texts of a column that are looked at. */
const MOST_TEXTS = 5_000;
const TIMEOUT_MS = 1_000;
/** Columns whose texts are kept. */
const MOST_COLUMNS = 500;

/** The different texts that columns hold, read when they are first asked for and kept until the file changes. */
export class ColumnTexts {
  readonly #sandbox: Sandbox;
  readonly #kept = new RecentMap<Promise<string[] | null>>(MOST_COLUMNS);

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Null where they cannot be read in time. */
  of(db: string, table: string, column: string, signal?: CancelSignal): Promise<string[] | null> {
    const state = contentStateOf(db)?.text;
    if (state === undefined) return this.#read(db, table, column, signal);
    const key = [db, state, table, column].join('\0');
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const read = this.#read(db, table, column, signal);
    this.#kept.set(key, read);
    return read;
  }

  async #read(db: string, table: string, column: string, signal?: CancelSignal): Promise<string[] | null> {
    const name = quoteIdentifier(column);
    const sql = `SELECT DISTINCT ${name} FROM ${quoteIdentifier(table)} WHERE typeof(${name}) = 'text' LIMIT ${MOST_TEXTS}`;
    const { status, rows } = await this.#sandbox.query({ db, sql, timeoutMs: TIMEOUT_MS, maxRows: MOST_TEXTS }, signal);
    return status === 'ok' ? rows.flatMap(([cell]) => (typeof cell === 'string' ? [cell] : [])) : null;
  }
}
