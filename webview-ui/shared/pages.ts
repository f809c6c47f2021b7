import type { Page, RowMark } from '../../src/protocol/grid.ts';
import type { JsonCell } from '../../src/protocol/value.ts';

/** Rows of a page. */
export const PAGE_ROWS = 200;
/** Pages that are kept: 10,000 rows. Others are asked for again. */
const KEPT_PAGES = 50;
/** Most rows that can be scrolled through: browsers have a greatest height of an element. */
export const MOST_ROWS = 1_000_000;

/**
 * The rows of a table as far as they are known to the view. Pages are asked for when their rows are looked at, one
 * request a page, and the ones that were not looked at for the longest time are let go.
 */
export class Pages {
  readonly #request: (page: number) => void;
  readonly #pages = new Map<number, JsonCell[][]>();
  readonly #asked = new Set<number>();
  readonly #failed = new Set<number>();
  readonly #marks = new Map<number, RowMark>();
  #isMarked = false;
  #known = 0;
  #end: number | null = null;

  /** @param request asks for a page, numbered from 0; `add` or `fail` ends it. */
  constructor(request: (page: number) => void) {
    this.#request = request;
  }

  /** Rows that the grid can scroll through: all where their number is known, else those up to the last known one. */
  get length(): number {
    return Math.min(this.#end ?? this.#known, MOST_ROWS);
  }

  /** True once the number of rows is known. */
  get isEndKnown(): boolean {
    return this.#end !== null;
  }

  /** The row, or null while it is not there; then its page is asked for. */
  row(index: number): JsonCell[] | null {
    const page = Math.floor(index / PAGE_ROWS);
    const rows = this.#pages.get(page);
    if (rows === undefined) {
      this.ask(page);
      return null;
    }
    // Looked at last: let go last.
    this.#pages.delete(page);
    this.#pages.set(page, rows);
    return rows[index - page * PAGE_ROWS] ?? null;
  }

  /** The row where it is there; asks for nothing. */
  peek(index: number): JsonCell[] | null {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS] ?? null;
  }

  /** True where rows may differ from those of another result. */
  get isMarked(): boolean {
    return this.#isMarked;
  }

  /** How a row differs from the other result; null where it does not, or is not there. */
  mark(index: number): RowMark | null {
    return this.#marks.get(index) ?? null;
  }

  /** The number of a row for people, from 1: where it stands in its result. */
  numberOf(index: number): number {
    return (this.mark(index)?.row ?? index) + 1;
  }

  /** Asks for a page that is neither there nor asked for, and did not fail. */
  ask(page: number): void {
    if (this.#pages.has(page) || this.#asked.has(page) || this.#failed.has(page)) return;
    this.#asked.add(page);
    this.#request(page);
  }

  /** Takes a page that was asked for. */
  add({ offset, rows, more, marks }: Page): void {
    const page = Math.floor(offset / PAGE_ROWS);
    this.#asked.delete(page);
    this.#pages.set(page, rows);
    this.#isMarked ||= marks !== undefined;
    marks?.forEach((mark, index) => {
      if (mark !== null) this.#marks.set(offset + index, mark);
    });
    const reached = offset + rows.length;
    if (more) this.#known = Math.max(this.#known, reached + 1);
    else if (rows.length > 0 || offset === 0) this.#end = reached;
    const oldest = this.#pages.keys().next();
    if (this.#pages.size > KEPT_PAGES && !oldest.done) this.#pages.delete(oldest.value);
  }

  /** The page did not come: it is not asked for again before `retry`. */
  fail(page: number): void {
    this.#asked.delete(page);
    this.#failed.add(page);
  }

  /** Lets pages that failed be asked for again. */
  retry(): void {
    this.#failed.clear();
  }

  /** The whole number of rows, counted. */
  setEnd(rows: number): void {
    this.#end = rows;
  }
}
