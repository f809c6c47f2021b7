import type { AskDown, AskUp, ResultTable } from '../../src/protocol/ask-panel.ts';
import type { JsonCell } from '../../src/protocol/value.ts';
import { PAGE_ROWS, Pages } from '../shared/pages.ts';

/** What is asked for of a result. */
export type TableRequest = Extract<AskUp, { request: number }>;

/** Rows of the results that a panel shows, asked for by the page. */
export class ResultTables {
  readonly #post: (message: TableRequest) => void;
  readonly #tables = new Map<string, Pages>();
  readonly #waiting = new Map<number, { pages: Pages; page: number }>();
  readonly #waitingCells = new Map<number, (cell: JsonCell) => void>();
  #requests = 0;

  constructor(post: (message: TableRequest) => void) {
    this.#post = post;
  }

  /** The rows of a result. */
  pagesOf(table: ResultTable): Pages {
    const known = this.#tables.get(table.id);
    if (known !== undefined) return known;
    const pages: Pages = new Pages((page) => {
      const request = this.#nextRequest();
      this.#waiting.set(request, { pages, page });
      this.#post({ type: 'page', request, table: table.id, offset: page * PAGE_ROWS, limit: PAGE_ROWS });
    });
    pages.setEnd(table.rows);
    if (table.rows > 0) pages.ask(0);
    this.#tables.set(table.id, pages);
    return pages;
  }

  #nextRequest(): number {
    this.#requests += 1;
    return this.#requests;
  }

  /** Asks for the whole of a cell. */
  cellOf(table: ResultTable, row: number, column: number, then: (cell: JsonCell) => void): void {
    const request = this.#nextRequest();
    this.#waitingCells.set(request, then);
    this.#post({ type: 'cell', request, table: table.id, row, column });
  }

  /** Takes a page or a cell, or that there is none. */
  take(message: Extract<AskDown, { request: number }>): void {
    if (message.type === 'cell') this.#waitingCells.get(message.request)?.(message.cell);
    this.#waitingCells.delete(message.request);
    const waiting = this.#waiting.get(message.request);
    this.#waiting.delete(message.request);
    if (message.type === 'page') waiting?.pages.add(message.page);
    else if (message.type === 'failed') waiting?.pages.fail(waiting.page);
  }

  /** Forgets results that are not shown any more. */
  keep(ids: readonly string[]): void {
    for (const id of this.#tables.keys()) if (!ids.includes(id)) this.#tables.delete(id);
  }
}
