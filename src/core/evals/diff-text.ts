import type { RowCount, RowDiff } from '../../protocol/score.ts';
import type { JsonCell } from '../../protocol/value.ts';
import { clip, displayWidth, pad, printable, shownCell } from '../text/cells.ts';

/** Limits of one side: rows, bytes of UTF-8 with all of its lines, width of a cell and of a line in columns. */
const MAX_ROWS = 20;
const MAX_BYTES = 2048;
const MAX_CELL = 40;
const MAX_LINE = 240;
/** Bytes kept for the line that says how many rows are left out. */
const REST_BYTES = 48;
const GAP = '  ';

/** The two sides of a difference as text, for a diff editor. */
export interface DiffText {
  /** Rows of the gold that the prediction lacks. */
  expected: string;
  /** Rows of the prediction that the gold lacks. */
  actual: string;
}

/**
 * The rows in which two results differ, as two tables of plain text: a header, then a line a row, sorted, at most 20 rows
 * and 2 KB a side. Columns stand at the same place on both sides; a row that stands in a result more than once, or in
 * another number than in the other one, ends in its number. null where no row differs, e.g. where only the order does.
 */
export function diffText(diff: RowDiff): DiffText | null {
  const { missing, extra, recounted, totals } = diff;
  if (missing.length + extra.length + recounted.length === 0) return null;
  const expected = [...linesOf(missing, 'gold'), ...linesOf(recounted, 'gold', true)].sort(compareLines);
  const actual = [...linesOf(extra, 'pred'), ...linesOf(recounted, 'pred', true)].sort(compareLines);
  const goldHeader = diff.goldColumns.map(printable);
  const predHeader = diff.predColumns.map(printable);
  const widths = widthsOf(
    [goldHeader, predHeader, ...expected, ...actual].map((line) => ('cells' in line ? line.cells : line)),
  );
  const toRight = widths.map((_, index) => [...expected, ...actual].every(({ numeric }) => numeric[index] !== false));
  const layout = { widths, toRight };
  return {
    expected: side(goldHeader, expected, layout, totals.missing + totals.recounted),
    actual: side(predHeader, actual, layout, totals.extra + totals.recounted),
  };
}

interface Line {
  cells: string[];
  numeric: boolean[];
  /** How often the row stands there; null where that says nothing. */
  times: number | null;
  /** Rows of the result that the line stands for. */
  rows: number;
}

function isNumeric(cell: JsonCell): boolean {
  return typeof cell === 'number' || (typeof cell === 'object' && cell !== null && ('int' in cell || 'real' in cell));
}

function linesOf(rows: readonly RowCount[], which: 'gold' | 'pred', always = false): Line[] {
  return rows.map(({ row, ...counts }) => ({
    cells: row.map((cell) => clip(shownCell(cell), MAX_CELL)),
    numeric: row.map(isNumeric),
    times: always || counts[which] > 1 ? counts[which] : null,
    rows: always ? Math.abs(counts.gold - counts.pred) : counts[which],
  }));
}

/** By cells from left to right: numbers by value before all else, then by their code units, so that both sides sort alike. */
function compareLines(a: Line, b: Line): number {
  for (const [index, cell] of a.cells.entries()) {
    const other = b.cells[index] ?? '';
    if (cell === other) continue;
    if (a.numeric[index] && b.numeric[index]) return Number(cell) - Number(other) || (cell < other ? -1 : 1);
    return cell < other ? -1 : 1;
  }
  return a.cells.length - b.cells.length;
}

function widthsOf(lines: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const cells of lines)
    for (const [index, cell] of cells.entries())
      widths[index] = Math.min(MAX_CELL, Math.max(widths[index] ?? 0, displayWidth(cell)));
  return widths;
}

/** Bytes of a text in UTF-8, its line feed with it. */
function bytesOf(line: string): number {
  let bytes = 1;
  for (const character of line) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** How columns stand on both sides. */
interface Layout {
  widths: readonly number[];
  toRight: readonly boolean[];
}

function lineText(cells: readonly string[], { widths, toRight }: Layout, times: number | null): string {
  const text = cells
    .map((cell, index) => pad(clip(cell, MAX_CELL), widths[index] ?? 0, toRight[index] === true))
    .join(GAP);
  const number = times === null ? '' : `${GAP}×${times}`;
  return `${clip(text.trimEnd(), MAX_LINE)}${number}`;
}

/** @param total rows of the result that differ, those that are not in `lines` too */
function side(header: readonly string[], lines: readonly Line[], layout: Layout, total: number): string {
  const head = lineText(header, layout, null);
  const shown = [head];
  let bytes = bytesOf(head) + REST_BYTES;
  let rest = total;
  for (const { cells, times, rows } of lines.slice(0, MAX_ROWS)) {
    const text = lineText(cells, layout, times);
    bytes += bytesOf(text);
    if (bytes > MAX_BYTES) break;
    shown.push(text);
    rest -= rows;
  }
  if (rest > 0) shown.push(`… and ${rest} more ${rest === 1 ? 'row' : 'rows'}`);
  return shown.join('\n');
}
