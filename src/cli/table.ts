import type { JsonCell } from '../protocol/value.ts';

const MAX_CELL = 60;
const MIN_CELL = 4;
/** Bytes of a blob that are shown. */
const MAX_BLOB = 16;
const GAP = '  ';

/**
 * A result as a table of plain text: a header, a rule, a line a row. NULL is `∅` apart from an empty text, numbers stand
 * to the right, line feeds and other control characters are shown as symbols, long cells end in `…`.
 * @param width columns of the terminal; cells are clipped to fit, and columns that do not fit at all are counted.
 */
export function renderTable(columns: string[], rows: JsonCell[][], width: number): string {
  const header = columns.map(printable);
  const body = rows.map((row) => header.map((_, index) => cellText(row[index] ?? null)));
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

/** Text of a cell in a table. */
function cellText(cell: JsonCell): string {
  if (cell === null) return '∅';
  if (typeof cell === 'string') return printable(cell);
  if (typeof cell === 'number') return String(cell);
  if ('int' in cell) return cell.int;
  if ('real' in cell) return cell.real;
  if ('hex' in cell) return blobText(cell.hex.slice(0, 2 * MAX_BLOB), cell.bytes);
  const notes = [cell.invalid ? 'not UTF-8' : '', cell.chars === undefined ? '' : `${cell.chars} characters`];
  const said = notes.filter((note) => note !== '').join(', ');
  return `${printable(cell.text)}${cell.chars === undefined ? '' : '…'}${said === '' ? '' : ` (${said})`}`;
}

function blobText(hex: string, bytes: number): string {
  return `x'${hex}${hex.length / 2 < bytes ? '…' : ''}' (${bytes} bytes)`;
}

function isNumeric(cell: JsonCell): boolean {
  return cell === null || typeof cell === 'number' || (typeof cell === 'object' && ('int' in cell || 'real' in cell));
}

/** Control characters as their symbols, so that a value can neither break the table nor steer the terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (char) => {
    const code = char.charCodeAt(0);
    if (code === 10 || code === 0x2028 || code === 0x2029) return '↵';
    if (code < 32) return String.fromCharCode(0x2400 + code);
    return code === 127 ? '␡' : '�';
  });
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

function pad(text: string, width: number, toRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return toRight ? space + text : text + space;
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let clipped = '';
  let used = 0;
  for (const { segment } of SEGMENTER.segment(text)) {
    const wide = graphemeWidth(segment);
    if (used + wide > width - 1) break;
    clipped += segment;
    used += wide;
  }
  return `${clipped}…`;
}

/** Columns that a text takes in a terminal: East Asian wide characters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (/^[\p{Mark}\p{Default_Ignorable_Code_Point}]/u.test(grapheme)) return 0;
  return isWide(code) || /\p{Emoji_Presentation}|\uFE0F/u.test(grapheme) ? 2 : 1;
}

/** Blocks of East Asian Wide and Fullwidth characters (Unicode, EastAsianWidth.txt). */
const WIDE: [number, number][] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

function isWide(code: number): boolean {
  return code >= 0x1100 && WIDE.some(([from, to]) => code >= from && code <= to);
}
