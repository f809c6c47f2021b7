import type { BlobCell, Cell, TextCell } from '../../protocol/value.ts';

/** The form of a cell under some equality: equal cells have forms for which `sameForm` holds. */
export type Form = (cell: Cell) => Cell;

/** Bytes as a string of code units below 256: shorter and faster than hexadecimal digits. */
function binaryString(bytes: Uint8Array): string {
  const CHUNK = 8_192;
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
}

/** Key of a blob or of a text that is not a plain string; the same for the same content. */
export function contentKey(cell: Uint8Array | TextCell | BlobCell): string {
  if (cell instanceof Uint8Array) return `b${cell.length}:${binaryString(cell)}`;
  // What was cut at the cell cap equals only what was cut to the same beginning and has the same length.
  if ('blob' in cell) return `c${cell.bytes}:${contentKey(cell.blob)}`;
  return `${cell.invalid ? 'u' : 'v'}${cell.chars ?? ''}:${cell.text.length}:${cell.text}`;
}

/** Whether two forms are equal: numbers and bigints by value (and never to each other), texts and blobs by content. */
export function sameForm(one: Cell, other: Cell): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  return contentKey(one) === contentKey(other);
}

/** A key that two forms share exactly where they are equal. No key is the beginning of another, so that they can be joined. */
export function keyOf(form: Cell): string {
  switch (typeof form) {
    case 'number':
      return `${form};`;
    case 'bigint':
      return `${form}n;`;
    case 'string':
      return `t${form.length}:${form}`;
    default:
      return form === null ? 'N' : contentKey(form);
  }
}

/**
 * The form under Python's equality of the values that its sqlite3 gives: integers and reals by their mathematical value,
 * also beyond 2^53 (2^60 == 2.0^60, 9007199254740993 != 9007199254740992.0); -0.0 == 0; NULL equals NULL; text is neither
 * a blob nor a number. Text that is not UTF-8, on which Python raises, has a form of its own.
 */
export function exactForm(cell: Cell): Cell {
  if (typeof cell !== 'bigint') return cell;
  const real = Number(cell);
  return BigInt(real) === cell ? real : cell;
}

/** A key that two cells share exactly where `exactForm` makes them equal. Keys can be joined without a separator. */
export function exactKey(cell: Cell): string {
  return keyOf(exactForm(cell));
}
