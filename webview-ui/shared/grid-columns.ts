import type { GridColumn } from '../../src/protocol/grid.ts';
import type { JsonCell } from '../../src/protocol/value.ts';
import { columnWidths, offsetsOf } from './layout.ts';
import type { Pages } from './pages.ts';

/** Space left and right of a cell's text, with its border. */
const CELL_PADDING = 17;
/** Rows that decide the widths of columns. */
const MEASURED_ROWS = 100;
const NARROWEST = 32;
/** Width of a column before its rows are there. */
const UNKNOWN = 120;
/** Characters kept free for the sign of a row, such as `×3:1`. */
const SIGN_CHARACTERS = 5;

/** A column that is drawn: where, and how wide, in pixels. */
export interface DrawnColumn {
  index: number;
  left: number;
  width: number;
}

/** The widths of a grid's columns: what their contents need, until the user sets them. */
export class GridColumns {
  #widths: number[] | null = null;
  /** Width of a character in pixels. */
  #character = 7.5;

  /** Forgets all widths. */
  reset(): void {
    this.#widths = null;
  }

  /** Sets the width of a character. @returns true where it is another one than before. */
  setCharacter(width: number): boolean {
    if (width <= 0 || width === this.#character) return false;
    this.#character = width;
    this.#widths = null;
    return true;
  }

  /** Measures columns whose widths are not known, once their rows are there. */
  measure(columns: readonly GridColumn[], pages: Pages): void {
    if (this.#widths === null && columns.length > 0) this.#widths = this.#needed(columns, pages);
  }

  #needed(columns: readonly GridColumn[], pages: Pages): number[] | null {
    const rows: JsonCell[][] = [];
    for (let index = 0; index < MEASURED_ROWS; index += 1) {
      const row = pages.peek(index);
      if (row !== null) rows.push(row);
    }
    if (rows.length === 0 && pages.length > 0) return null;
    return columnWidths(columns, rows).map((width) => Math.ceil(width * this.#character) + CELL_PADDING);
  }

  /** Makes a column as wide as its contents need. */
  fit(column: number, columns: readonly GridColumn[], pages: Pages): void {
    const width = this.#needed(columns, pages)?.[column];
    if (width !== undefined) this.set(column, width);
  }

  set(column: number, width: number): void {
    if (this.#widths !== null) this.#widths[column] = Math.max(NARROWEST, width);
  }

  widthOf(column: number): number {
    return this.#widths?.[column] ?? UNKNOWN;
  }

  /** Where each of `count` columns begins, and where the last one ends. */
  offsets(count: number): number[] {
    return offsetsOf(Array.from({ length: count }, (_, index) => this.widthOf(index)));
  }

  /** Width of the column of row numbers, with the signs of rows that differ where there may be some. */
  numberWidth(pages: Pages): number {
    const digits = Math.max(2, String(pages.numberOf(pages.length - 1)).length);
    const signs = pages.isMarked ? SIGN_CHARACTERS : 0;
    return Math.ceil((digits + signs) * this.#character) + CELL_PADDING;
  }
}
