import type { Cell, TextCell } from '../../protocol/value.ts';

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The first UTF-16 units of a text; a pair of surrogates is not torn. */
function beginning(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

function shortText(cell: TextCell, maxUnits: number): TextCell {
  if (cell.text.length <= maxUnits) return cell;
  return { ...cell, text: beginning(cell.text, maxUnits), chars: cell.chars ?? codePoints(cell.text) };
}

/** A cell with at most `maxUnits` UTF-16 units of text, or half as many bytes of a blob, in the form of the cell cap. */
export function shortCell(cell: Cell, maxUnits: number): Cell {
  if (cell === null || typeof cell === 'number' || typeof cell === 'bigint') return cell;
  if (typeof cell === 'string') return cell.length <= maxUnits ? cell : shortText({ text: cell }, maxUnits);
  if ('text' in cell) return shortText(cell, maxUnits);
  const { blob, bytes } = cell instanceof Uint8Array ? { blob: cell, bytes: cell.length } : cell;
  const maxBytes = Math.floor(maxUnits / 2);
  return blob.length <= maxBytes ? cell : { blob: blob.subarray(0, maxBytes), bytes };
}
