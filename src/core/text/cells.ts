import type { JsonCell } from '../../protocol/value.ts';

/** Bytes of a blob that are shown. */
const MAX_BLOB = 16;

/**
 * A cell as it is shown in a table of plain text: NULL is `∅` apart from an empty text, control characters are symbols, a
 * blob shows its first bytes.
 */
export function shownCell(cell: JsonCell): string {
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

/** `text` filled with spaces to a width in columns of a terminal. */
export function pad(text: string, width: number, toRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return toRight ? space + text : text + space;
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** `text` cut to a width in columns of a terminal; one that was cut ends in `…`. */
export function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (isNarrow(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
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

/** ASCII, Latin letters, and the signs that stand here for what cannot be shown: one column each. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const NARROW = /^[\x00-\x7f\u00a1-\u00ac\u00ae-\u02ff\u2026\u21b5\u2205\u2400-\u2421]*$/;

/** True where characters need not be looked at one by one, which takes a hundred times as long. */
function isNarrow(text: string): boolean {
  return NARROW.test(text);
}

/** Columns that a text takes in a terminal: East Asian wide characters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  if (isNarrow(text)) return text.length;
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
