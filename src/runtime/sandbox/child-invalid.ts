import type { SQLOutputValue } from 'node:sqlite';
import { TextDecoder } from 'node:util';
import { withBytes } from '../../core/sql/wrap.ts';
import type { Cell } from '../../protocol/value.ts';
import type { Connection } from './child-database.ts';
import { type Caps, prepareExact, rowsOf, type Suspect, toCell } from './child-query.ts';

/**
 * Finds out which texts with U+FFFD in them are not valid in the database's encoding, and flags them: node:sqlite shows
 * bytes that are no UTF-8 as U+FFFD, which text may also truly hold. Their bytes are read by the same query once more.
 * @returns false where that query gave other rows, so that nothing can be said; then nothing is flagged.
 */
export function flagInvalidText(
  connection: Connection,
  sql: string,
  rows: Cell[][],
  suspects: readonly Suspect[],
  caps: Caps,
): boolean {
  const width = rows[0]?.length ?? 0;
  const columns = [...new Set(suspects.map(({ column }) => column))];
  const query = withBytes(sql, width, columns);
  if (query === null) return false;
  const bytes = readAgain(connection, query, rows, columns, suspects, caps);
  if (bytes === null) return false;
  const decoder = new TextDecoder(connection.encoding(), { fatal: true, ignoreBOM: true });
  for (const [index, { row, column }] of suspects.entries()) {
    const cell = rows[row]?.[column];
    if (cell === undefined || isValid(decoder, bytes[index])) continue;
    (rows[row] ?? [])[column] = typeof cell === 'string' ? { text: cell, invalid: true } : flagged(cell);
  }
  return true;
}

function flagged(cell: Cell): Cell {
  return cell !== null && typeof cell === 'object' && 'text' in cell ? { ...cell, invalid: true } : cell;
}

function isValid(decoder: TextDecoder, bytes: Uint8Array | undefined): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The bytes of the suspects, in their order; null where a row with a suspect is not the row of the first reading. */
function readAgain(
  connection: Connection,
  query: string,
  rows: Cell[][],
  columns: number[],
  suspects: readonly Suspect[],
  caps: Caps,
): Uint8Array[] | null {
  const found: Uint8Array[] = [];
  let index = 0;
  let next = 0;
  try {
    for (const values of rowsOf(prepareExact(connection.database, query))) {
      for (; suspects[next]?.step === index; next++) {
        const { row, column } = suspects[next] ?? { row: 0, column: 0 };
        const bytes = values[values.length - columns.length + columns.indexOf(column)];
        if (!(bytes instanceof Uint8Array) || !isSameRow(values, rows[row] ?? [], caps)) return null;
        found.push(bytes);
      }
      index++;
      if (next >= suspects.length) return found;
    }
  } catch {
    // The second reading is a service of ours; what stops it is not the user's matter.
  }
  return null;
}

function isSameRow(values: SQLOutputValue[], row: Cell[], caps: Caps): boolean {
  return row.every((cell, index) => isSameCell(toCell(values[index] ?? null, caps.maxCellBytes).cell, cell));
}

function isSameCell(one: Cell, other: Cell): boolean {
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object')
    return Object.is(one, other);
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  if ('blob' in one && 'blob' in other) return one.bytes === other.bytes && Buffer.compare(one.blob, other.blob) === 0;
  return 'text' in one && 'text' in other && one.text === other.text && one.chars === other.chars;
}
