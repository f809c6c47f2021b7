import type { Cell } from '../../../protocol/value.ts';
import { quoteText } from '../../schema/identifiers.ts';

/**
 * A value as a SQL literal that SQLite reads back exactly; null where it was cut at the cell cap or its bytes are no text.
 * An integral real becomes an integer, to which SQLite compares it equal.
 */
export function literalOf(cell: Cell): string | null {
  if (cell === null) return 'NULL';
  switch (typeof cell) {
    case 'bigint':
      // The literal of the smallest integer would be read as the negation of a real.
      return cell === -(2n ** 63n) ? '(-9223372036854775807 - 1)' : cell.toString();
    case 'number':
      return numberLiteral(cell);
    case 'string':
      return textLiteral(cell);
    default:
      return cell instanceof Uint8Array ? `x'${hexOf(cell)}'` : null;
  }
}

function numberLiteral(value: number): string {
  if (Number.isNaN(value)) return 'NULL';
  if (!Number.isFinite(value)) return value > 0 ? '9e999' : '-9e999';
  return String(value);
}

/** SQL texts end at a NUL character, so a text that holds one is written as its bytes. */
function textLiteral(text: string): string {
  if (!text.includes('\0')) return quoteText(text);
  const parts = text.split('\0').map(quoteText);
  return `(${parts.join(' || char(0) || ')})`;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
