import { resolve } from 'node:path';
import type { CancelSignal, Sandbox } from '../../core/ports.ts';
import { IndexedScan } from '../../core/schema/value-index.ts';
import type { Catalog, ColumnValues, ValueScan } from '../../protocol/catalog.ts';
import { schemaCancelled } from '../catalog-errors.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { columnLabel, type ScanColumn, scannableColumns } from './scan-columns.ts';
import { Scanner } from './scanner.ts';
import type { KeptColumn } from './scans.ts';
import type { Store } from './store.ts';

/** Time for the scan of a database before its first question: leaves room in 5 s for the model to begin its answer. */
export const DEFAULT_SCAN_BUDGET_MS = 1500;

export interface ScanOptions {
  sandbox: Sandbox;
  /** null: nothing is kept, every call scans. */
  store: Store | null;
  db: string;
  catalog: Catalog;
  /** Wall-clock limit in milliseconds; null: none. */
  budgetMs: number | null;
}

function keyOf(table: string, column: string): string {
  return `${table}\0${column}`;
}

/** Whether more time is offered than a column was given up with. */
function isWorthAnotherTry(gaveUp: number, budgetMs: number | null): boolean {
  return budgetMs === null || budgetMs > gaveUp;
}

/**
 * The text values of a database's columns, for prompts and linking. What was scanned is kept in the store until the
 * file or its log changes; columns that the time did not suffice for are named in `skipped`, and are tried again only
 * when a call offers more time than the one that gave them up.
 * @throws AppError where the file is the matter, or `signal` aborts (`cancelled`)
 */
export async function scanValues(options: ScanOptions, signal?: CancelSignal): Promise<ValueScan> {
  if (signal?.aborted) throw schemaCancelled(options.db);
  const path = resolve(options.db);
  const state = await fingerprintOf(path);
  const columns = scannableColumns(options.catalog);
  const signature = columns.map(columnLabel).join('\0');
  const budget = options.budgetMs ?? Number.POSITIVE_INFINITY;
  const recent = options.store?.recall(path);
  if (
    recent?.state === state &&
    recent.columns === signature &&
    (recent.budgetMs >= budget || recent.scan.skipped.length === 0)
  )
    return recent.scan;
  const kept = new Map(
    (options.store?.scans.read(path, state) ?? []).map((one) => [keyOf(one.values.table, one.values.column), one]),
  );
  const keptOf = ({ table, column }: ScanColumn) => kept.get(keyOf(table.name, column.name));
  const missing = columns.filter((column) => {
    const one = keptOf(column);
    return !one || (one.gaveUp !== null && isWorthAnotherTry(one.gaveUp, options.budgetMs));
  });
  const outcome = await new Scanner(options.sandbox, path, options.budgetMs, signal).scan(missing);
  const found = (column: ScanColumn): ColumnValues | undefined => {
    const one = keptOf(column);
    return outcome.found.get(column) ?? (one?.gaveUp === null ? one.values : undefined);
  };
  const scan = new IndexedScan({
    columns: columns.map(found).filter((values) => values !== undefined),
    skipped: columns.filter((column) => !found(column)).map(columnLabel),
  });
  const isUnchanged = (await fingerprintOf(path)) === state;
  if (options.store && isUnchanged && outcome.postponed.length === 0)
    options.store.remember(path, { state, columns: signature, budgetMs: budget, scan });
  if (options.store && isUnchanged && missing.length > 0)
    options.store.scans.write(path, state, toKept(outcome, options.budgetMs), Date.now());
  return scan;
}

function toKept(outcome: Awaited<ReturnType<Scanner['scan']>>, budgetMs: number | null): KeptColumn[] {
  const done = [...outcome.found.values()].map((values) => ({ values, gaveUp: null }));
  const gaveUp = outcome.gaveUp.map(({ table, column }) => ({
    values: { table: table.name, column: column.name, values: null, nonNull: null },
    gaveUp: budgetMs,
  }));
  return [...done, ...gaveUp];
}
