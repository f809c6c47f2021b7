import type { DatabaseDown, DatabaseUp, RowCount } from '../../src/protocol/database-view.ts';
import type { WireError } from '../../src/protocol/errors.ts';
import type { GridColumn, Page } from '../../src/protocol/grid.ts';
import { PAGE_ROWS, Pages } from '../shared/pages.ts';

type Answered = Exclude<DatabaseDown, { type: 'state' | 'reveal' }>;
type Waiting = { page: number } | 'count';

/** What is known of the rows of the table that is shown. Requests are numbered; answers for an earlier table are dropped. */
export class ShownTable {
  readonly name: string;
  readonly pages: Pages;
  readonly #post: (message: DatabaseUp) => void;
  readonly #number: () => number;
  readonly #waiting = new Map<number, Waiting>();
  columns: GridColumn[] = [];
  count: RowCount | null = null;
  notes: string[] = [];
  /** Why rows could not be read; the ones that were read are still shown. */
  error: WireError | null = null;
  /** Grows when rows came. */
  revision = 0;

  /** @param number gives each request its number. */
  constructor(name: string, post: (message: DatabaseUp) => void, number: () => number) {
    this.name = name;
    this.#post = post;
    this.#number = number;
    this.pages = new Pages((page) => this.#ask(page));
  }

  /** True while the exact number of rows is being counted. */
  get isCounting(): boolean {
    return [...this.#waiting.values()].includes('count');
  }

  /** True until the first page came or failed. */
  get isLoading(): boolean {
    return this.revision === 0 && this.error === null;
  }

  #ask(page: number): void {
    const request = this.#number();
    this.#waiting.set(request, { page });
    this.#post({ type: 'page', request, table: this.name, offset: page * PAGE_ROWS, limit: PAGE_ROWS });
  }

  /** Counts the rows; a second call stops counting. */
  countRows(): void {
    const running = [...this.#waiting].find(([, what]) => what === 'count');
    if (running !== undefined) {
      this.#post({ type: 'cancel', request: running[0] });
      return;
    }
    const request = this.#number();
    this.#waiting.set(request, 'count');
    this.#post({ type: 'count', request, table: this.name });
  }

  /** Takes the answer to one of its own requests. @returns false where it is not one of them. */
  take(message: Answered): boolean {
    const waiting = this.#waiting.get(message.request);
    if (waiting === undefined) return false;
    this.#waiting.delete(message.request);
    if (message.type === 'page') this.#takePage(message.columns, message.page, message.about, message.notes);
    else if (message.type === 'count') this.#takeCount(message.count);
    else if (message.type === 'failed') this.#fail(waiting, message.error);
    return true;
  }

  /** Asks again for what failed. */
  retry(): void {
    this.error = null;
    this.pages.retry();
    this.pages.ask(0);
  }

  #takePage(columns: GridColumn[], page: Page, about: RowCount | null, notes: string[]): void {
    this.columns = columns.length > 0 ? columns : this.columns;
    this.pages.add(page);
    this.notes = notes;
    const counted = this.count?.exact ?? false;
    if (this.pages.isEndKnown && !counted) this.count = { rows: this.pages.length, exact: true };
    else this.count ??= about;
    this.revision += 1;
  }

  #takeCount(count: RowCount): void {
    this.count = count;
    this.pages.setEnd(count.rows);
    this.revision += 1;
  }

  #fail(waiting: Waiting, error: WireError): void {
    if (error.code === 'cancelled') return;
    this.error = error;
    if (waiting !== 'count') this.pages.fail(waiting.page);
  }
}
