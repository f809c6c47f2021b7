import type { Catalog, Column, ForeignKey, Table, ValueScan } from '../../../protocol/catalog.ts';
import { Random, shuffled } from '../../score/statistics/random.ts';
import { otherNames, type SchemaNames } from './schema-names.ts';

/** A schema said otherwise: the same tables and columns in another order and under other names. */
export interface Phrasing {
  names: SchemaNames;
  catalog: Catalog;
  /** The cell values under the other names. */
  scan: ValueScan;
}

/** Columns in another order; in half of all phrasings keys stay in front, as most schemas have them. */
function orderColumns(columns: readonly Column[], keysFirst: boolean, random: Random): Column[] {
  const order = shuffled(columns, random);
  if (!keysFirst) return order;
  return [...order.filter(({ primaryKey }) => primaryKey > 0), ...order.filter(({ primaryKey }) => primaryKey === 0)];
}

function renameKey(key: ForeignKey, table: string, names: SchemaNames): ForeignKey {
  const { from, toTable, toColumn, target } = key;
  return {
    ...key,
    from: names.column(table, from),
    toTable: names.table(toTable),
    toColumn: toColumn === null ? null : names.column(toTable, toColumn),
    target: target && {
      column: names.column(table, target.column),
      toTable: names.table(target.toTable),
      toColumn: names.column(target.toTable, target.toColumn),
    },
  };
}

function renameTable(table: Table, names: SchemaNames): Table {
  return {
    ...table,
    name: names.table(table.name),
    columns: table.columns.map((column) => ({ ...column, name: names.column(table.name, column.name) })),
    foreignKeys: table.foreignKeys.map((key) => renameKey(key, table.name, names)),
  };
}

/**
 * Says a schema otherwise. The same seed gives the same words, so that all questions on a database share a prompt's
 * beginning.
 */
export function phraseSchema(catalog: Catalog, scan: ValueScan, seed: number): Phrasing {
  const random = new Random(seed);
  const names = otherNames(catalog, random);
  const keysFirst = random.below(2) === 0;
  const tables = shuffled(catalog.tables, random).map((table) =>
    renameTable({ ...table, columns: orderColumns(table.columns, keysFirst, random) }, names),
  );
  const columns = scan.columns.map((values) => ({
    ...values,
    table: names.table(values.table),
    column: names.column(values.table, values.column),
  }));
  return { names, catalog: { ...catalog, tables }, scan: { ...scan, columns } };
}
