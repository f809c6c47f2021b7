import * as z from 'zod/mini';

/**
 * Text that cannot travel as a plain string: its bytes were not UTF-8 (`invalid`, shown with U+FFFD), or it was longer
 * than the cell cap (`chars` is its full length in code points).
 */
export interface TextCell {
  text: string;
  invalid?: true;
  chars?: number;
}

/** The first bytes of a blob that was longer than the cell cap; `bytes` is its full length. */
export interface BlobCell {
  blob: Uint8Array;
  bytes: number;
}

/**
 * One value as SQLite holds it. Integers are `number` up to ±(2^53 - 1) and `bigint` beyond; reals are `number`
 * (an integral real is not told from an integer); blobs are `Uint8Array`.
 */
export type Cell = null | number | bigint | string | Uint8Array | TextCell | BlobCell;

/** A `Cell` in JSON: what `--json` prints, what a webview gets and what a transcript holds. */
export const JsonCell = z.union([
  z.null(),
  z.number(),
  z.string(),
  z.object({ int: z.string() }),
  z.object({ real: z.enum(['Infinity', '-Infinity']) }),
  z.object({ hex: z.string(), bytes: z.number() }),
  z.object({ text: z.string(), invalid: z.optional(z.literal(true)), chars: z.optional(z.number()) }),
]);
export type JsonCell = z.infer<typeof JsonCell>;

function hexOf(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0');
  return hex;
}

/** JSON form of a cell: exact for every integer, and for blobs and text up to the cell cap. */
export function toJsonCell(cell: Cell): JsonCell {
  switch (typeof cell) {
    case 'bigint':
      return { int: cell.toString() };
    case 'number':
      return Number.isFinite(cell) ? cell : { real: cell > 0 ? 'Infinity' : '-Infinity' };
    case 'string':
      return cell;
    default:
      if (cell === null) return null;
      if (cell instanceof Uint8Array) return { hex: hexOf(cell), bytes: cell.length };
      if ('blob' in cell) return { hex: hexOf(cell.blob), bytes: cell.bytes };
      return cell;
  }
}

/** JSON form of a table of cells. */
export function toJsonRows(rows: readonly (readonly Cell[])[]): JsonCell[][] {
  return rows.map((row) => row.map(toJsonCell));
}
