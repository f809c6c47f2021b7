import type { Database } from 'better-sqlite3';
import * as z from 'zod/mini';
import { quoteIdentifier } from '../../core/schema/identifiers.ts';

/** A column whose values may be changed. */
export interface ChangeableColumn {
  /** Quoted. */
  name: string;
  nullable: boolean;
  /** Its values, alone or with others, must differ from row to row. */
  unique: boolean;
}

/** A table whose rows may be changed. */
export interface ChangeableTable {
  /** Quoted. */
  name: string;
  /** The name under which it shows its rowid. */
  rowid: string;
  /** Without generated columns and without one that is the rowid itself. */
  columns: ChangeableColumn[];
}

const TableRow = z.object({ name: z.string(), type: z.string(), schema: z.string(), wr: z.number() });
const ColumnRow = z.object({
  name: z.string(),
  type: z.string(),
  notnull: z.number(),
  pk: z.number(),
  hidden: z.number(),
});
const IndexRow = z.object({ name: z.string(), unique: z.number() });
const IndexedRow = z.object({ name: z.nullable(z.string()) });

function pragma<T>(database: Database, name: string, argument: string, row: z.ZodMiniType<T>): T[] {
  return z.array(row).parse(database.prepare(`SELECT * FROM pragma_${name}(?)`).safeIntegers(false).all(argument));
}

/** The tables of a database that may be changed row by row: neither virtual nor without rowid, and no shadow tables. */
export function changeableTables(database: Database): ChangeableTable[] {
  const rows = z.array(TableRow).parse(database.prepare('PRAGMA table_list').safeIntegers(false).all());
  return rows
    .filter(
      ({ name, type, schema, wr }) => schema === 'main' && type === 'table' && wr === 0 && !/^sqlite_/i.test(name),
    )
    .flatMap(({ name }) => changeableTable(database, name) ?? []);
}

function changeableTable(database: Database, table: string): ChangeableTable | null {
  const columns = pragma(database, 'table_xinfo', table, ColumnRow);
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  const rowid = ['rowid', '_rowid_', 'oid'].find((name) => !names.has(name));
  if (rowid === undefined) return null;
  const unique = new Set(
    pragma(database, 'index_list', table, IndexRow)
      .filter((index) => index.unique === 1)
      .flatMap((index) => pragma(database, 'index_info', index.name, IndexedRow).map(({ name }) => name)),
  );
  const keys = columns.filter(({ pk }) => pk > 0);
  const isRowid = ({ type, pk }: z.infer<typeof ColumnRow>) =>
    pk > 0 && keys.length === 1 && type.toUpperCase() === 'INTEGER';
  const changeable = columns.filter((column) => column.hidden === 0 && !isRowid(column));
  return {
    name: quoteIdentifier(table),
    rowid,
    columns: changeable.map(({ name, notnull, pk }) => ({
      name: quoteIdentifier(name),
      nullable: notnull === 0 && pk === 0,
      unique: pk > 0 || unique.has(name),
    })),
  };
}
