import Database from 'better-sqlite3';
import type { TableRow } from '../../core/diagnose/minimise/table-rows.ts';
import { storedColumns } from '../../core/diagnose/minimise/table-rows.ts';
import { quoteIdentifier } from '../../core/schema/identifiers.ts';
import type { Table } from '../../protocol/catalog.ts';
import type { Cell } from '../../protocol/value.ts';

/** Name under which a table shows its rowid; null where it has none, or an INTEGER PRIMARY KEY that is it. */
export function rowidName(table: Table): string | null {
  if (table.withoutRowid) return null;
  const names = new Set(table.columns.map(({ name }) => name.toLowerCase()));
  return ['rowid', '_rowid_', 'oid'].find((name) => !names.has(name)) ?? null;
}

function hasOwnRowid({ columns, withoutRowid }: Table): boolean {
  const keys = columns.filter(({ primaryKey }) => primaryKey > 0);
  return !withoutRowid && !(keys.length === 1 && keys[0]?.declared.toUpperCase() === 'INTEGER');
}

/** A value as better-sqlite3 binds it: whole numbers as integers, which columns of reals turn back into reals. */
function bound(cell: Cell): null | bigint | number | string | Uint8Array {
  if (typeof cell === 'number') return Number.isSafeInteger(cell) ? BigInt(cell) : cell;
  if (cell === null || typeof cell !== 'object' || cell instanceof Uint8Array) return cell;
  throw new RangeError('a value that cannot be written as it was');
}

/** How the rows of one table come and go. */
interface Writer {
  insert: Database.Statement<unknown[]>;
  delete: Database.Statement<unknown[]>;
}

/**
 * A small database with some tables of a large one, which holds whichever of their rows are wanted at the moment. It has
 * no indexes and no triggers; foreign keys are not enforced. Others may read the file between two calls.
 */
export class MinimiseCopy {
  readonly #database: Database.Database;
  readonly #rows: readonly TableRow[];
  readonly #writers = new Map<Table, Writer>();
  #held: ReadonlySet<number> = new Set();

  /** @throws SqliteError where the tables cannot be made anew */
  constructor(path: string, tables: readonly Table[], views: readonly Table[], rows: readonly TableRow[]) {
    this.#rows = rows;
    this.#database = new Database(path);
    try {
      this.#database.pragma('journal_mode = MEMORY');
      this.#database.pragma('synchronous = OFF');
      this.#database.pragma('foreign_keys = OFF');
      for (const { sql } of [...tables, ...views]) if (sql !== null) this.#database.exec(sql);
      for (const table of tables) this.#writers.set(table, this.#writer(table));
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  #writer(table: Table): Writer {
    const name = quoteIdentifier(table.name);
    const stored = storedColumns(table).map(quoteIdentifier);
    const rowid = rowidName(table);
    const inserted = hasOwnRowid(table) && rowid !== null ? [rowid, ...stored] : stored;
    const marks = inserted.map(() => '?').join(', ');
    const found = rowid === null ? this.#keyColumns(table).map((column) => `${column} IS ?`) : [`${rowid} = ?`];
    return {
      insert: this.#database.prepare(`INSERT INTO ${name} (${inserted.join(', ')}) VALUES (${marks})`),
      delete: this.#database.prepare(`DELETE FROM ${name} WHERE ${found.join(' AND ')}`),
    };
  }

  /** The columns by which a row without rowid is found: its primary key, else all. */
  #keyColumns(table: Table): string[] {
    return keyNames(table).map(quoteIdentifier);
  }

  /** Brings the file to hold these rows and no others. */
  hold(wanted: ReadonlySet<number>): void {
    this.#database.transaction(() => {
      for (const place of this.#held) if (!wanted.has(place)) this.#delete(place);
      for (const place of wanted) if (!this.#held.has(place)) this.#insert(place);
    })();
    this.#held = new Set(wanted);
  }

  #insert(place: number): void {
    const row = this.#rows[place];
    if (row === undefined) return;
    const own = hasOwnRowid(row.table) && rowidName(row.table) !== null ? [bound(row.rowid)] : [];
    this.#writers.get(row.table)?.insert.run(...own, ...row.cells.map(bound));
  }

  #delete(place: number): void {
    const row = this.#rows[place];
    if (row === undefined) return;
    const stored = storedColumns(row.table);
    const key =
      rowidName(row.table) === null
        ? keyNames(row.table).map((name) => bound(row.cells[stored.indexOf(name)] ?? null))
        : [bound(row.rowid)];
    this.#writers.get(row.table)?.delete.run(...key);
  }

  close(): void {
    this.#database.close();
  }
}

function keyNames(table: Table): string[] {
  const keys = table.columns.filter(({ primaryKey }) => primaryKey > 0).map(({ name }) => name);
  return keys.length > 0 ? keys : storedColumns(table);
}
