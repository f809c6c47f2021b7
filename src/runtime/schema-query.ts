import type { CancelSignal, Sandbox } from '../core/ports.ts';
import type { QueryResult } from '../protocol/query.ts';
import type { Cell } from '../protocol/value.ts';
import { schemaCancelled, schemaQueryFailed, schemaTooLarge } from './catalog-errors.ts';

const MAX_ROWS = 10_000_000;
const MAX_BYTES = 256 * 2 ** 20;

/** Queries of our own on one database: whole results, as a schema must not be cut. */
export class SchemaReader {
  readonly #sandbox: Sandbox;
  readonly #db: string;
  readonly #signal: CancelSignal | undefined;

  constructor(sandbox: Sandbox, db: string, signal: CancelSignal | undefined) {
    this.#sandbox = sandbox;
    this.#db = db;
    this.#signal = signal;
  }

  /** Rows, or the result where SQLite refused. @throws AppError where it was cancelled, ran too long or is too large. */
  async try(sql: string): Promise<Cell[][] | QueryResult> {
    const result = await this.#sandbox.query(
      { db: this.#db, sql, maxRows: MAX_ROWS, maxBytes: MAX_BYTES, maxCellBytes: MAX_BYTES },
      this.#signal,
    );
    if (result.status === 'cancelled') throw schemaCancelled(this.#db);
    if (result.truncated) throw schemaTooLarge(this.#db);
    if (result.status === 'ok') return result.rows;
    if (result.status === 'error') return result;
    throw this.#failure(result);
  }

  /** Rows. @throws AppError where there are none. */
  async rows(sql: string): Promise<Cell[][]> {
    const answer = await this.try(sql);
    if (Array.isArray(answer)) return answer;
    throw this.#failure(answer);
  }

  #failure(result: QueryResult): Error {
    return schemaQueryFailed(this.#db, result.code ?? result.status, result.message ?? result.status);
  }
}

/** The text of a cell, whatever it holds; '' for NULL. */
export function textOf(cell: Cell | undefined): string {
  return textOrNull(cell) ?? '';
}

/** The text of a cell; null for NULL. */
export function textOrNull(cell: Cell | undefined): string | null {
  if (cell === null || cell === undefined) return null;
  if (typeof cell === 'object' && 'text' in cell) return cell.text;
  return String(cell);
}

/** The number of a cell; 0 where it holds none. */
export function numberOf(cell: Cell | undefined): number {
  return typeof cell === 'number' || typeof cell === 'bigint' ? Number(cell) : 0;
}

/** Rows that SQLite packed into a JSON array of arrays. */
export function cellRows(json: string): Cell[][] {
  const rows: unknown = JSON.parse(json);
  return isCellRows(rows) ? rows : [];
}

function isCellRows(rows: unknown): rows is Cell[][] {
  return Array.isArray(rows) && rows.every((row) => Array.isArray(row));
}
