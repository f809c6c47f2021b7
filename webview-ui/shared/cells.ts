import { cellText } from '../../src/protocol/cell-text.ts';
import type { JsonCell } from '../../src/protocol/value.ts';
import { bytesInWords, countInWords } from './format.ts';

/** How a cell looks in a grid. */
export interface CellView {
  /** What is written in the cell, on one line. */
  text: string;
  look: 'text' | 'number' | 'null' | 'empty' | 'blob';
  /** A warning beside the text; null: none. */
  flag: string | null;
}

/** Characters that a grid cell shows; the whole value is shown by opening the cell. */
const SHOWN = 256;
/** Bytes of a blob that a grid cell shows. */
const SHOWN_BYTES = 16;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f]/g;
/** Signs that turn the direction of writing: two values could look alike by them, or one like another. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text on one line: line breaks and other control characters become visible signs. */
function oneLine(text: string): string {
  const start = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return start
    .replace(/\r\n?|\n/g, '↵')
    .replace(/\t/g, '⇥')
    .replace(TURNING, '\ufffd')
    .replace(CONTROL, (sign) => (sign === '\u007f' ? '␡' : String.fromCodePoint(0x2400 + (sign.codePointAt(0) ?? 0))));
}

function textView(text: string, flag: string | null): CellView {
  return text === '' && flag === null ? { text: '', look: 'empty', flag } : { text: oneLine(text), look: 'text', flag };
}

/** How a cell looks. */
export function viewOf(cell: JsonCell): CellView {
  if (cell === null) return { text: 'NULL', look: 'null', flag: null };
  if (typeof cell === 'string') return textView(cell, null);
  if (typeof cell === 'number' || 'int' in cell || 'real' in cell)
    return { text: cellText(cell) ?? '', look: 'number', flag: null };
  if ('hex' in cell) {
    const start = cell.hex.slice(0, SHOWN_BYTES * 2);
    const more = cell.bytes > SHOWN_BYTES ? '…' : '';
    return { text: `x'${start}${more}' ${bytesInWords(cell.bytes)}`, look: 'blob', flag: null };
  }
  return textView(cell.text, cell.invalid ? 'not UTF-8' : null);
}

/** True where the cell was cut to its cap: there is more in the file. */
export function isCut(cell: JsonCell): boolean {
  if (cell === null || typeof cell !== 'object') return false;
  return ('hex' in cell && cell.hex.length < cell.bytes * 2) || ('text' in cell && cell.chars !== undefined);
}

/** What a cell is, in words: for its details and for screen readers. */
export function kindOf(cell: JsonCell): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'number') return Number.isInteger(cell) ? 'whole number' : 'real number';
  if (typeof cell === 'string')
    return cell === '' ? 'empty text' : `text, ${countInWords([...cell].length, 'character')}`;
  if ('int' in cell) return 'whole number';
  if ('real' in cell) return 'real number';
  if ('hex' in cell) return `blob, ${bytesInWords(cell.bytes)}`;
  const length = countInWords(cell.chars ?? [...cell.text].length, 'character');
  return cell.invalid ? `text that is not UTF-8, ${length}` : `text, ${length}`;
}
