import type { GridColumn } from '../../src/protocol/grid.ts';
import type { JsonCell } from '../../src/protocol/value.ts';
import { viewOf } from './cells.ts';

/** Widths of columns in characters of the grid's font. */
const NARROWEST = 4;
const WIDEST = 44;

/** Characters of East Asian scripts and most pictures are two wide. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;

/** Width of a text in characters of a font whose characters are all as wide. */
export function textWidth(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0);
}

/** Cells from `first` up to, not including, `end`. */
export interface Range {
  first: number;
  end: number;
}

/** The width of each column in characters: what its header and the given rows need, within limits. */
export function columnWidths(columns: readonly GridColumn[], rows: readonly (readonly JsonCell[])[]): number[] {
  return columns.map(({ name, declared }, index) => {
    const header = Math.max(textWidth(name), textWidth(declared ?? '')) + 1;
    const widest = rows.reduce((width, row) => {
      const view = viewOf(row[index] ?? null);
      return Math.max(width, textWidth(view.text) + (view.flag === null ? 0 : view.flag.length + 3));
    }, header);
    return Math.min(WIDEST, Math.max(NARROWEST, widest));
  });
}

/** Where each column begins, and after the last where the columns end. */
export function offsetsOf(widths: readonly number[]): number[] {
  const offsets = [0];
  for (const width of widths) offsets.push((offsets.at(-1) ?? 0) + width);
  return offsets;
}

/** Index of the last offset that is not above `position`. */
function indexAt(offsets: readonly number[], position: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The columns that are seen between `start` and `end`, and one more on each side. */
export function visibleColumns(offsets: readonly number[], start: number, end: number): Range {
  const count = offsets.length - 1;
  return {
    first: Math.max(0, indexAt(offsets, start) - 1),
    end: Math.min(count, indexAt(offsets, end) + 2),
  };
}

/** The rows that are seen between `start` and `end`, and some more on each side. */
export function visibleRows(start: number, end: number, height: number, count: number, more = 8): Range {
  return {
    first: Math.max(0, Math.min(count, Math.floor(start / height)) - more),
    end: Math.max(0, Math.min(count, Math.ceil(end / height) + more)),
  };
}

/** How far to scroll so that `start` to `end` is seen in a window of `size` that begins at `scroll`. */
export function scrollTo(start: number, end: number, scroll: number, size: number): number {
  if (start < scroll || end - start > size) return start;
  return end > scroll + size ? end - size : scroll;
}
