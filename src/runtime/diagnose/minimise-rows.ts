import { storedColumns, type TableRow } from '../../core/diagnose/minimise/table-rows.ts';
import { literalOf } from '../../core/diagnose/trace/literal.ts';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { quoteIdentifier } from '../../core/schema/identifiers.ts';
import type { Table } from '../../protocol/catalog.ts';
import type { Cell } from '../../protocol/value.ts';
import { rowidName } from '../store/minimise-copy.ts';

/** A row by the values of some columns; `rowid` stands for the rowid. */
export interface RowKey {
  readonly table: string;
  readonly columns: readonly string[];
  readonly values: readonly Cell[];
}

const MOST_BYTES = 64 * 2 ** 20;

/** What is asked of one table. */
interface Wanted {
  readonly db: string;
  readonly table: Table;
  /** Rows at most. */
  readonly most: number;
  /** Rows by their keys; null: any. */
  readonly keys: readonly RowKey[] | null;
}

/**
 * Rows of a table. @returns null where they cannot be read, or hold what cannot be written again: a text that is no UTF-8,
 * a value of more than 64 MiB
 */
export async function readRows(
  sandbox: Sandbox,
  { db, table, most, keys }: Wanted,
  timeoutMs: number,
  signal?: CancelSignal,
): Promise<TableRow[] | null> {
  const rowid = rowidName(table);
  const columns = [rowid ?? 'NULL', ...storedColumns(table).map(quoteIdentifier)];
  const where = keys === null ? '' : ` WHERE ${keys.map(condition).join(' OR ')}`;
  const sql = `SELECT ${columns.join(', ')} FROM ${quoteIdentifier(table.name)}${where} LIMIT ${most}`;
  const limits = { maxRows: most, maxBytes: MOST_BYTES, maxCellBytes: MOST_BYTES, timeoutMs };
  const { status, rows, truncated } = await sandbox.query({ db, sql, ...limits }, signal);
  if (status !== 'ok' || truncated || !rows.flat().every(isWhole)) return null;
  return rows.map(([own = null, ...cells]) => ({ table, rowid: own, cells }));
}

function isWhole(cell: Cell): boolean {
  return cell === null || typeof cell !== 'object' || cell instanceof Uint8Array;
}

function condition({ columns, values }: RowKey): string {
  const parts = columns.map((column, index) => {
    const name = column.toLowerCase() === 'rowid' ? column : quoteIdentifier(column);
    return `${name} IS ${literalOf(values[index] ?? null) ?? 'NULL'}`;
  });
  return `(${parts.join(' AND ')})`;
}
