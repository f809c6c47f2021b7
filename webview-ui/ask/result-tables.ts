import type { AskDown, AskUp, ResultTable } from '../../src/protocol/ask-panel.ts';
import { PAGE_ROWS, Pages } from '../shared/pages.ts';

/** Rows of the results that the panel shows, asked for by the page. */
export class ResultTables {
  readonly #post: (message: AskUp) => void;
  readonly #tables = new Map<string, Pages>();
  readonly #waiting = new Map<number, { pages: Pages; page: number }>();
  #requests = 0;

  constructor(post: (message: AskUp) => void) {
    this.#post = post;
  }

  /** The rows of a result. */
  pagesOf(table: ResultTable): Pages {
    const known = this.#tables.get(table.id);
    if (known !== undefined) return known;
    const pages: Pages = new Pages((page) => {
      this.#requests += 1;
      const request = this.#requests;
      this.#waiting.set(request, { pages, page });
      this.#post({ type: 'page', request, table: table.id, offset: page * PAGE_ROWS, limit: PAGE_ROWS });
    });
    pages.setEnd(table.rows);
    if (table.rows > 0) pages.ask(0);
    this.#tables.set(table.id, pages);
    return pages;
  }

  /** Takes a page, or that there is none. */
  take(message: Extract<AskDown, { request: number }>): void {
    const waiting = this.#waiting.get(message.request);
    this.#waiting.delete(message.request);
    if (message.type === 'page') waiting?.pages.add(message.page);
    else waiting?.pages.fail(waiting.page);
  }

  /** Forgets results that are not shown any more. */
  keep(ids: readonly string[]): void {
    for (const id of this.#tables.keys()) if (!ids.includes(id)) this.#tables.delete(id);
  }
}
