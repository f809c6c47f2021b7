import type { JsonCell } from '../../protocol/value.ts';

/** Most characters of a text, and half as many bytes of a blob, that a page has of one cell. */
const SHOWN = 4096;

/** A cell as pages have it: long ones are cut, and say how long they are. Whole ones are asked for alone. */
export function cutCell(cell: JsonCell): JsonCell {
  if (typeof cell === 'string') {
    if (cell.length <= SHOWN) return cell;
    return { text: firstCharacters(cell), chars: [...cell].length };
  }
  if (cell === null || typeof cell === 'number') return cell;
  if ('hex' in cell) return cell.hex.length <= SHOWN ? cell : { hex: cell.hex.slice(0, SHOWN), bytes: cell.bytes };
  if ('text' in cell && cell.text.length > SHOWN)
    return { ...cell, text: firstCharacters(cell.text), chars: cell.chars ?? [...cell.text].length };
  return cell;
}

/** The beginning of a text, never half of a character. */
function firstCharacters(text: string): string {
  const last = text.codePointAt(SHOWN - 1) ?? 0;
  return text.slice(0, last > 0xffff ? SHOWN - 1 : SHOWN);
}
