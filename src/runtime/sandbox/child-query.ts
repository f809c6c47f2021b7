import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { ColumnOrigin } from '../../protocol/query.ts';
import type { Cell } from '../../protocol/value.ts';

/** Hard limits of one result. */
export interface Caps {
  maxRows: number;
  maxBytes: number;
  maxCellBytes: number;
}

export interface Collected {
  rows: Cell[][];
  truncated: boolean;
}

/** Prepares a statement whose rows come as arrays with exact integers. */
export function prepareExact(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  return statement;
}

/** Where each result column comes from, as SQLite tells. */
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
  let bytes = 0;
  let cut = false;
  // setReturnArrays makes every row an array; the declared type of node:sqlite does not know that.
  for (const values of statement.iterate() as Iterable<unknown> as Iterable<SQLOutputValue[]>) {
    if (rows.length >= caps.maxRows) return { rows, truncated: true };
    const row = new Array<Cell>(values.length);
    for (let index = 0; index < values.length; index++) {
      const { cell, size, clipped } = toCell(values[index] ?? null, caps.maxCellBytes);
      row[index] = cell;
      bytes += size;
      cut ||= clipped;
    }
    if (bytes > caps.maxBytes) return { rows, truncated: true };
    rows.push(row);
  }
  return { rows, truncated: cut };
}

function toCell(value: SQLOutputValue, maxBytes: number): { cell: Cell; size: number; clipped: boolean } {
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
  // A UTF-16 unit is at most three bytes of UTF-8: short texts need no count.
  const size = text.length * 3 <= maxBytes ? text.length : Buffer.byteLength(text);
  if (size <= maxBytes) return { cell: text, size, clipped: false };
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return { cell: { text: text.slice(0, read), chars: codePoints(text) }, size: maxBytes, clipped: true };
}

function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const isPair = (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
    if (isPair) count--;
  }
  return count;
}
