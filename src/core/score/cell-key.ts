import type { Cell } from '../../protocol/value.ts';

/** Bytes as a string of code units below 256: shorter and faster than hexadecimal digits. */
function binaryString(bytes: Uint8Array): string {
  const CHUNK = 8_192;
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
}

/** Key of what is no number: the length stands before the content, so that no key is the beginning of another. */
export function contentKey(cell: string | Uint8Array | Exclude<Cell, null | number | bigint>): string {
  if (typeof cell === 'string') return `t${cell.length}:${cell}`;
  if (cell instanceof Uint8Array) return `b${cell.length}:${binaryString(cell)}`;
  // What was cut at the cell cap equals only what was cut to the same beginning and has the same length.
  if ('blob' in cell) return `B${cell.bytes}:${contentKey(cell.blob)}`;
  const mark = cell.invalid ? 'u' : '';
  return cell.chars === undefined ? mark + contentKey(cell.text) : `T${cell.chars}:${mark}${contentKey(cell.text)}`;
}

/**
 * A key that two cells share exactly where the values that Python's sqlite3 gives for them are equal: integers and reals
 * by their mathematical value, also beyond 2^53 (2^60 == 2.0^60, 9007199254740993 != 9007199254740992.0); -0.0 == 0; NULL
 * equals NULL; text is neither a blob nor a number. Text that is not UTF-8 (Python raises) has a key of its own.
 *
 * No key is the beginning of another, so that keys can be joined without a separator.
 */
export function exactKey(cell: Cell): string {
  switch (typeof cell) {
    case 'number':
      // Beyond 2^53 a real is printed with fewer digits than it has, a bigint with all.
      return Number.isInteger(cell) && !Number.isSafeInteger(cell) ? `${BigInt(cell)};` : `${cell};`;
    case 'bigint':
      return `${cell};`;
    case 'string':
      return contentKey(cell);
    default:
      return cell === null ? 'N' : contentKey(cell);
  }
}
