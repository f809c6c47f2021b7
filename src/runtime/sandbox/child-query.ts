import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { exactKey } from '../../core/score/cell-key.ts';
import { rowKey } from '../../core/score/rows.ts';
import type { ColumnOrigin } from '../../protocol/query.ts';
import type { Cell } from '../../protocol/value.ts';

/** Hard limits of one result. */
export interface Caps {
  maxRows: number;
  maxBytes: number;
  maxCellBytes: number;
  /** Rows that repeat an earlier one are left out. */
  distinct?: boolean;
}

/** So many bytes of values of which only the beginning was kept may wait to be freed. */
const MAX_DISCARDED_BYTES = 64 * 2 ** 20;

/** A text cell that holds U+FFFD: either its bytes were invalid, or that is the character it holds. */
export interface Suspect {
  /** Index among the rows that are kept. */
  row: number;
  /** Index among all rows that the statement gives. */
  step: number;
  column: number;
}

export interface Collected {
  rows: Cell[][];
  truncated: boolean;
  suspects: Suspect[];
}

/** Prepares a statement whose rows come as arrays with exact integers. */
export function prepareExact(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  return statement;
}

/** Steps through a statement of `prepareExact`, which is reset when the loop over it ends. */
export function rowsOf(statement: StatementSync): Iterable<SQLOutputValue[]> {
  // setReturnArrays makes every row an array; the declared type of node:sqlite does not know that.
  return statement.iterate() as Iterable<unknown> as Iterable<SQLOutputValue[]>;
}

/** Names and origins of the result columns, as SQLite tells them. */
export function originsOf(statement: StatementSync): { names: string[]; origins: ColumnOrigin[] } {
  const metadata = statement.columns();
  return {
    names: metadata.map((column) => column.name),
    origins: metadata.map((column) => ({ table: column.table, column: column.column, declared: column.type })),
  };
}

/** Steps through a statement until a cap is reached. The statement is reset before this returns or throws. */
export function collect(statement: StatementSync, caps: Caps): Collected {
  const rows: Cell[][] = [];
  const suspects: Suspect[] = [];
  let bytes = 0;
  let discarded = 0;
  let truncated = false;
  const seen = caps.distinct ? new Set<string>() : null;
  let step = -1;
  for (const values of rowsOf(statement)) {
    step++;
    if (rows.length >= caps.maxRows && seen === null) return { rows, truncated: true, suspects };
    const row = new Array<Cell>(values.length);
    let rowBytes = 0;
    let isClipped = false;
    for (let column = 0; column < values.length; column++) {
      const value = values[column] ?? null;
      const { cell, size, clipped } = toCell(value, caps.maxCellBytes);
      row[column] = cell;
      rowBytes += size;
      isClipped ||= clipped;
      if (clipped) discarded += fullSize(value);
    }
    if (discarded > MAX_DISCARDED_BYTES) {
      // V8 sees no hurry to free large values, so that a few of them would fill the memory of the process.
      globalThis.gc?.();
      discarded = 0;
    }
    if (seen !== null && !isNew(row, seen)) continue;
    bytes += rowBytes;
    if (bytes > caps.maxBytes || rows.length >= caps.maxRows) return { rows, truncated: true, suspects };
    noteSuspects(values, { row: rows.length, step }, suspects);
    truncated ||= isClipped;
    rows.push(row);
  }
  return { rows, truncated, suspects };
}

/** Bytes that a value takes in this process, at least. */
function fullSize(value: SQLOutputValue): number {
  if (typeof value === 'string') return value.length;
  return value instanceof Uint8Array ? value.byteLength : 0;
}

/** Whether a row is the first of its like; then it is noted. */
function isNew(row: Cell[], seen: Set<string>): boolean {
  const before = seen.size;
  return seen.add(rowKey(row, exactKey)).size > before;
}

function noteSuspects(values: SQLOutputValue[], place: Omit<Suspect, 'column'>, suspects: Suspect[]): void {
  for (let column = 0; column < values.length; column++) {
    const value = values[column];
    if (typeof value === 'string' && value.includes('\uFFFD')) suspects.push({ ...place, column });
  }
}

/** A value as it crosses to the parent, cut to the cell cap; `size` in bytes. */
export function toCell(value: SQLOutputValue, maxBytes: number): { cell: Cell; size: number; clipped: boolean } {
  switch (typeof value) {
    case 'bigint': {
      const number = Number(value);
      return { cell: Number.isSafeInteger(number) ? number : value, size: 8, clipped: false };
    }
    case 'number':
      return { cell: value, size: 8, clipped: false };
    case 'string':
      return clipText(value, maxBytes);
    default:
      if (value === null) return { cell: null, size: 1, clipped: false };
      if (value.byteLength <= maxBytes) return { cell: value, size: value.byteLength, clipped: false };
      return { cell: { blob: value.slice(0, maxBytes), bytes: value.byteLength }, size: maxBytes, clipped: true };
  }
}

function clipText(text: string, maxBytes: number): { cell: Cell; size: number; clipped: boolean } {
  const size = Buffer.byteLength(text);
  if (size <= maxBytes) return { cell: text, size, clipped: false };
  const start = Buffer.alloc(maxBytes);
  const { written } = new TextEncoder().encodeInto(text, start);
  // Not slice(): a part of a string keeps the whole of it in memory.
  return { cell: { text: start.toString('utf8', 0, written), chars: codePoints(text) }, size: maxBytes, clipped: true };
}

function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const isPair = (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
    if (isPair) count--;
  }
  return count;
}
