import type { JsonCell } from './value.ts';

/** A cell as text, exact: what is copied. NULL is `null`; a blob is its bytes in hexadecimal. */
export function cellText(cell: JsonCell): string | null {
  if (cell === null) return null;
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number') return Object.is(cell, -0) ? '-0.0' : String(cell);
  if ('int' in cell) return cell.int;
  if ('real' in cell) return cell.real;
  if ('hex' in cell) return cell.hex;
  return cell.text;
}

function separated(cell: JsonCell, separator: string): string {
  const text = cellText(cell);
  if (text === null) return '';
  const plain = text !== '' && !text.includes(separator) && !/["\r\n]/.test(text);
  return plain ? text : `"${text.replaceAll('"', '""')}"`;
}

/**
 * Rows as separated values: fields that hold the separator, a quote or a line break are quoted (RFC 4180); NULL is an
 * empty field and the empty text is `""`, so that the two stay apart.
 * @param columns a header line; null: none.
 */
export function toSeparated(
  columns: readonly string[] | null,
  rows: readonly (readonly JsonCell[])[],
  separator: ',' | '\t',
): string {
  const newline = separator === ',' ? '\r\n' : '\n';
  const lines = columns === null ? [...rows] : [columns, ...rows];
  return lines.map((line) => line.map((cell) => separated(cell, separator)).join(separator)).join(newline);
}
