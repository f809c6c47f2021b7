import { clip, displayWidth, pad, printable, shownCell } from '../core/text/cells.ts';
import type { JsonCell } from '../protocol/value.ts';

const MAX_CELL = 60;
const MIN_CELL = 4;
const GAP = '  ';

/**
 * A result as a table of plain text: a header, a rule, a line a row. NULL is `∅` apart from an empty text, numbers stand
 * to the right, line feeds and other control characters are shown as symbols, long cells end in `…`.
 * @param width columns of the terminal; cells are clipped to fit, and columns that do not fit at all are counted.
 */
export function renderTable(columns: string[], rows: JsonCell[][], width: number): string {
  const header = columns.map(printable);
  const body = rows.map((row) => header.map((_, index) => shownCell(row[index] ?? null)));
  const natural = header.map((name, index) =>
    Math.min(
      MAX_CELL,
      body.reduce((widest, row) => Math.max(widest, displayWidth(row[index] ?? '')), displayWidth(name)),
    ),
  );
  const widths = fittingWidths(natural, width);
  const toRight = header.map((_, index) => rows.length > 0 && rows.every((row) => isNumeric(row[index] ?? null)));
  const line = (cells: string[]) =>
    widths
      .map((cell, index) => pad(clip(cells[index] ?? '', cell), cell, toRight[index] === true))
      .join(GAP)
      .trimEnd();
  const rule = widths.map((cell) => '─'.repeat(cell)).join(GAP);
  const hidden = columns.length - widths.length;
  const lines = [line(header), rule, ...body.map(line)];
  if (hidden > 0)
    lines.push(
      `(${hidden} more ${hidden === 1 ? 'column does' : 'columns do'} not fit: ${header.slice(widths.length).join(', ')})`,
    );
  return lines.join('\n');
}

function isNumeric(cell: JsonCell): boolean {
  return cell === null || typeof cell === 'number' || (typeof cell === 'object' && ('int' in cell || 'real' in cell));
}

/** Widths that fit the terminal: the widest columns give first; columns that would get less than the minimum are left out. */
function fittingWidths(natural: number[], width: number): number[] {
  let shown = natural;
  while (shown.length > 1 && leastTotal(shown) > width) shown = shown.slice(0, -1);
  const room = width - GAP.length * Math.max(0, shown.length - 1);
  const taken = (level: number) => shown.reduce((sum, cell) => sum + Math.min(cell, level), 0);
  let level = Math.max(MIN_CELL, ...shown);
  while (level > MIN_CELL && taken(level) > room) level--;
  // What is left after the cut goes to the first of the clipped columns, one each.
  let spare = Math.max(0, room - taken(level));
  return shown.map((cell) => (cell > level && spare-- > 0 ? level + 1 : Math.min(cell, level)));
}

function leastTotal(widths: number[]): number {
  return widths.reduce((sum, cell) => sum + Math.min(cell, MIN_CELL), 0) + GAP.length * (widths.length - 1);
}
