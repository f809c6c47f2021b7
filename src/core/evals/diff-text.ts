import type { RowCount, RowDiff } from '../../protocol/score.ts';
import type { JsonCell } from '../../protocol/value.ts';
import { clip, displayWidth, printable, shownCell } from '../text/cells.ts';

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
  const goldHeader = diff.goldColumns.map((name) => shown(printable(name), false));
  const predHeader = diff.predColumns.map((name) => shown(printable(name), false));
  const rows = [...expected, ...actual].map(({ cells }) => cells);
  const layout = layoutOf([goldHeader, predHeader], rows);
  return {
    expected: side(goldHeader, expected, layout, totals.missing + totals.recounted),
    actual: side(predHeader, actual, layout, totals.extra + totals.recounted),
  };
}

/** A cell as it stands there, and the columns that it takes: measured once, for there may be thousands of differences. */
interface Shown {
  text: string;
  width: number;
  numeric: boolean;
}

interface Line {
  cells: Shown[];
  /** How often the row stands there; null where that says nothing. */
  times: number | null;
  /** Rows of the result that the line stands for. */
  rows: number;
}

/** How columns stand on both sides. */
interface Layout {
  widths: readonly number[];
  toRight: readonly boolean[];
}

function shown(text: string, numeric: boolean): Shown {
  const clipped = clip(text, MAX_CELL);
  return { text: clipped, width: displayWidth(clipped), numeric };
}

function isNumeric(cell: JsonCell): boolean {
  return typeof cell === 'number' || (typeof cell === 'object' && cell !== null && ('int' in cell || 'real' in cell));
}

function linesOf(rows: readonly RowCount[], which: 'gold' | 'pred', always = false): Line[] {
  return rows.map(({ row, ...counts }) => ({
    cells: row.map((cell) => shown(shownCell(cell), isNumeric(cell))),
    times: always || counts[which] > 1 ? counts[which] : null,
    rows: always ? Math.abs(counts.gold - counts.pred) : counts[which],
  }));
}

/** By cells from left to right: numbers by value, all else by code units, so that both sides sort alike. */
function compareLines(a: Line, b: Line): number {
  for (const [index, cell] of a.cells.entries()) {
    const other = b.cells[index] ?? { text: '', width: 0, numeric: false };
    if (cell.text === other.text) continue;
    const byValue = cell.numeric && other.numeric ? Number(cell.text) - Number(other.text) : 0;
    return byValue || (cell.text < other.text ? -1 : 1);
  }
  return a.cells.length - b.cells.length;
}

function layoutOf(headers: readonly Shown[][], rows: readonly Shown[][]): Layout {
  const widths: number[] = [];
  for (const cells of [...headers, ...rows])
    for (const [index, { width }] of cells.entries()) widths[index] = Math.max(widths[index] ?? 0, width);
  const toRight = widths.map((_, index) => rows.every((cells) => cells[index]?.numeric !== false));
  return { widths, toRight };
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

function lineText(cells: readonly Shown[], { widths, toRight }: Layout, times: number | null): string {
  const padded = cells.map(({ text, width }, index) => {
    const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - width));
    return toRight[index] ? space + text : text + space;
  });
  const number = times === null ? '' : `${GAP}×${times}`;
  return `${clip(padded.join(GAP).trimEnd(), MAX_LINE)}${number}`;
}

/** @param total rows of the result that differ, those that are not in `lines` too */
function side(header: readonly Shown[], lines: readonly Line[], layout: Layout, total: number): string {
  const texts = [lineText(header, layout, null)];
  let bytes = texts.reduce((sum, text) => sum + bytesOf(text), REST_BYTES);
  let rest = total;
  for (const { cells, times, rows } of lines.slice(0, MAX_ROWS)) {
    const text = lineText(cells, layout, times);
    bytes += bytesOf(text);
    if (bytes > MAX_BYTES) break;
    texts.push(text);
    rest -= rows;
  }
  if (rest > 0) texts.push(`and ${rest} more ${rest === 1 ? 'row' : 'rows'}`);
  return texts.join('\n');
}
