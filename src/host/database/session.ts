import { stat } from 'node:fs/promises';
import type { Sandbox } from '../../core/ports.ts';
import type { Catalog, Table } from '../../protocol/catalog.ts';
import type { DatabaseDown, DatabaseUp, RowCount } from '../../protocol/database-view.ts';
import { toWireError } from '../../protocol/errors.ts';
import type { QueryRequest, QueryResult } from '../../protocol/query.ts';
import { type Cell, toJsonCell, toJsonRows } from '../../protocol/value.ts';
import { rowsUnreadable } from './errors.ts';
import { analyzedSql, canHold, cellSql, countSql, pageSql, reachSql } from './queries.ts';

/** Most bytes of a page, of a cell in it, and of a cell that is opened. */
const PAGE_BYTES = 16 * 1024 * 1024;
const PAGE_CELL_BYTES = 4096;
const WHOLE_CELL_BYTES = 4 * 1024 * 1024;
/** How long an estimate of the row count may take: it is a convenience. */
const ESTIMATE_MS = 1000;

type Ask = Extract<DatabaseUp, { request: number }>;

/** Most bytes of a cell in a page, so that the page is never cut before its last row. */
function pageCellBytes(rows: number, columns: number): number {
  return Math.min(PAGE_CELL_BYTES, Math.max(16, Math.floor(PAGE_BYTES / 2 / rows / Math.max(1, columns))));
}

/** What a session asks of its surroundings. */
export interface SessionNeeds {
  db: string;
  /** The sandbox, opened on first use. */
  sandbox(): Promise<Sandbox>;
  timeoutMs(): number;
  post(message: DatabaseDown): void;
}

/** Answers what the view of one database asks: pages, counts, cells. Each request is answered once. */
export class DatabaseSession {
  readonly #needs: SessionNeeds;
  readonly #running = new Map<number, AbortController>();
  #catalog: Catalog = { tables: [], problems: [] };

  constructor(needs: SessionNeeds) {
    this.#needs = needs;
  }

  /** Takes the schema that was read last; what is being answered for an earlier one is stopped. */
  setCatalog(catalog: Catalog): void {
    this.#catalog = catalog;
    this.stop();
  }

  /** Stops all that runs. */
  stop(): void {
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
  }

  /** Answers a request; failures too are answers. */
  async answer(ask: Ask): Promise<void> {
    if (ask.type === 'cancel') {
      this.#running.get(ask.request)?.abort();
      return;
    }
    const controller = new AbortController();
    this.#running.set(ask.request, controller);
    try {
      this.#needs.post(await this.#answerTo(ask, controller.signal));
    } catch (error) {
      this.#needs.post({ type: 'failed', request: ask.request, error: toWireError(error) });
    } finally {
      this.#running.delete(ask.request);
    }
  }

  async #answerTo(ask: Exclude<Ask, { type: 'cancel' }>, signal: AbortSignal): Promise<DatabaseDown> {
    switch (ask.type) {
      case 'page':
        return await this.#page(ask, signal);
      case 'count':
        return { type: 'count', request: ask.request, count: await this.#count(ask.table, signal) };
      case 'cell':
        return { type: 'cell', request: ask.request, cell: toJsonCell(await this.#cell(ask, signal)) };
    }
  }

  async #query(request: Omit<QueryRequest, 'db'>, signal: AbortSignal): Promise<QueryResult> {
    const sandbox = await this.#needs.sandbox();
    return await sandbox.query({ timeoutMs: this.#needs.timeoutMs(), ...request, db: this.#needs.db }, signal);
  }

  /** @throws AppError where the query does not end well. */
  async #rows(table: string, request: Omit<QueryRequest, 'db'>, signal: AbortSignal): Promise<QueryResult> {
    const result = await this.#query(request, signal);
    if (result.status !== 'ok') throw rowsUnreadable(table, result, this.#needs.timeoutMs());
    return result;
  }

  #tableOf(name: string): Table | undefined {
    return this.#catalog.tables.find((table) => table.name === name);
  }

  async #page(ask: Extract<Ask, { type: 'page' }>, signal: AbortSignal): Promise<DatabaseDown> {
    const { request, table, offset, limit } = ask;
    const sql = pageSql(table, offset, limit);
    const known = this.#tableOf(table);
    const maxCellBytes = pageCellBytes(limit + 1, known?.columns.length ?? 0);
    const limits = { maxRows: limit + 1, maxBytes: PAGE_BYTES, maxCellBytes };
    const result = await this.#rows(table, { sql, ...limits }, signal);
    const byName = new Map(known?.columns.map(({ name, declared }) => [name, declared]));
    const columns = result.columns.map((name, index) => ({
      name,
      declared: byName.get(name) || result.origins[index]?.declared || null,
    }));
    const more = result.rows.length > limit;
    const about = offset === 0 && more && known !== undefined ? await this.#estimate(known, signal) : null;
    const rows = toJsonRows(result.rows.slice(0, limit));
    return { type: 'page', request, columns, page: { offset, rows, more }, about, notes: result.notes };
  }

  async #count(table: string, signal: AbortSignal): Promise<RowCount> {
    const { rows } = await this.#rows(table, { sql: countSql(table) }, signal);
    return { rows: Number(rows[0]?.[0] ?? 0), exact: true };
  }

  async #cell(ask: Extract<Ask, { type: 'cell' }>, signal: AbortSignal): Promise<Cell> {
    const sql = cellSql(ask.table, ask.column, ask.row);
    const { rows } = await this.#rows(ask.table, { sql, maxCellBytes: WHOLE_CELL_BYTES }, signal);
    return rows[0]?.[0] ?? null;
  }

  /** The row count as far as it is known without counting; null where it is not. */
  async #estimate(table: Table, signal: AbortSignal): Promise<RowCount | null> {
    const { size } = await stat(this.#needs.db);
    for (const sql of [analyzedSql(table.name), reachSql(table)]) {
      if (sql === null) continue;
      const result = await this.#query({ sql, timeoutMs: ESTIMATE_MS }, signal);
      const rows = Number(result.rows[0]?.[0] ?? 0);
      if (result.status === 'ok' && canHold(rows, size, table)) return { rows, exact: false };
    }
    return null;
  }
}
