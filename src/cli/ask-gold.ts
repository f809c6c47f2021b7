import type { Sandbox } from '../core/ports.ts';
import type { AskResult } from '../protocol/ask.ts';
import type { QueryStatus } from '../protocol/query.ts';
import { type JsonCell, toJsonRows } from '../protocol/value.ts';

/** Rows up to which results are compared; a result with more counts as different. */
const MAX_ROWS = 100_000;
const SIGNIFICANT_DIGITS = 6;
/** Orders of columns that are tried. */
const MAX_ORDERS = 5_000;

/** How an answer compares with that of the correct query. */
export interface GoldComparison {
  status: QueryStatus;
  code: string | null;
  message: string | null;
  /** Whether the rows are the same in any order, under some order of the columns; null where the correct query failed. */
  equal: boolean | null;
}

function cellKey(cell: JsonCell): string {
  if (typeof cell !== 'number' || Number.isInteger(cell)) return JSON.stringify(cell);
  return String(Number(cell.toPrecision(SIGNIFICANT_DIGITS)));
}

function sortedRows(rows: readonly (readonly string[])[], order: readonly number[]): string {
  return rows
    .map((row) => JSON.stringify(order.map((index) => row[index])))
    .sort()
    .join('\n');
}

function columnKeys(rows: readonly (readonly string[])[], columns: number): string[] {
  return Array.from({ length: columns }, (_, index) => JSON.stringify(rows.map((row) => row[index]).sort()));
}

/** Orders of the columns of `from` in which each holds the values of the column of `to` in its place. */
function* fittingOrders(from: readonly string[], to: readonly string[], order: number[] = []): Generator<number[]> {
  if (order.length === to.length) {
    yield order;
    return;
  }
  for (const [index, key] of from.entries())
    if (key === to[order.length] && !order.includes(index)) yield* fittingOrders(from, to, [...order, index]);
}

/** True where two results hold the same multiset of rows under some order of the columns. */
export function sameRows(
  a: readonly (readonly JsonCell[])[],
  b: readonly (readonly JsonCell[])[],
  columns: number,
): boolean {
  if (a.length !== b.length) return false;
  const left = a.map((row) => row.map(cellKey));
  const right = b.map((row) => row.map(cellKey));
  const wanted = sortedRows(right, [...Array(columns).keys()]);
  let tries = 0;
  for (const order of fittingOrders(columnKeys(left, columns), columnKeys(right, columns))) {
    if (sortedRows(left, order) === wanted) return true;
    tries += 1;
    if (tries >= MAX_ORDERS) return false;
  }
  return false;
}

/** Runs the correct query and compares the answer with its rows. @throws AppError where the file is the matter */
export async function compareWithGold(
  sandbox: Sandbox,
  db: string,
  gold: string,
  result: AskResult,
  limits: { timeoutMs: number; signal: AbortSignal },
): Promise<GoldComparison> {
  const { timeoutMs, signal } = limits;
  const query = (sql: string) => sandbox.query({ db, sql, timeoutMs, maxRows: MAX_ROWS }, signal);
  const right = await query(gold);
  const { status, code, message } = right;
  if (status !== 'ok') return { status, code, message, equal: null };
  if (result.status !== 'ok' || result.sql === null) return { status, code, message, equal: false };
  const left = result.truncated ? await query(result.sql) : null;
  const rows = left ? toJsonRows(left.rows) : result.rows;
  const complete = !right.truncated && (left === null ? true : left.status === 'ok' && !left.truncated);
  const sameWidth = right.columns.length === result.columns.length;
  return {
    status,
    code,
    message,
    equal: complete && sameWidth && sameRows(rows, toJsonRows(right.rows), right.columns.length),
  };
}
