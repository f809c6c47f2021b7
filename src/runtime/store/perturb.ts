import Database from 'better-sqlite3';
import { quoteIdentifier } from '../../core/schema/identifiers.ts';
import { Random } from '../../core/score/statistics/random.ts';
import { type ChangeableColumn, type ChangeableTable, changeableTables } from './perturb-tables.ts';

/** How large a part of the rows each change takes. */
interface Shares {
  drop: number;
  duplicate: number;
  swap: number;
  null: number;
}

/** One change alone, then all at once: an answer may hold against one and not against another. */
const SHARES: readonly Shares[] = [
  { drop: 0.3, duplicate: 0, swap: 0, null: 0 },
  { drop: 0, duplicate: 0.3, swap: 0, null: 0 },
  { drop: 0, duplicate: 0, swap: 0.4, null: 0 },
  { drop: 0, duplicate: 0, swap: 0, null: 0.2 },
  { drop: 0.15, duplicate: 0.15, swap: 0.15, null: 0.1 },
];

/** Rows of a table that one change takes at most: a copy should be made in a moment. */
const MOST_ROWS = 500;
/** A table with more rows is not listed; its rows are found by chance. */
const MOST_LISTED = 5_000;

/**
 * Changes the rows of a database file that nobody else has open: a part of each table's rows is dropped or duplicated,
 * values are swapped between the rows of a column, NULL is put into columns that take it. Constraints stay kept: what they
 * refuse is left as it was; foreign keys count where their definitions are sound. Triggers are dropped. The same file and
 * seed give the same rows.
 * @throws SqliteError where the file cannot be changed
 */
export function perturb(path: string, seed: number): void {
  const database = new Database(path);
  try {
    database.pragma('journal_mode = DELETE');
    database.pragma('synchronous = OFF');
    database.defaultSafeIntegers(true);
    dropTriggers(database);
    const tables = changeableTables(database);
    database.pragma(`foreign_keys = ${hasSoundKeys(database, tables) ? 'ON' : 'OFF'}`);
    const random = new Random(seed);
    const shares = SHARES[(seed - 1) % SHARES.length];
    if (shares) database.transaction(() => tables.forEach((table) => void change(database, table, shares, random)))();
  } finally {
    database.close();
  }
}

function dropTriggers(database: Database.Database): void {
  const names = database.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).pluck().all();
  for (const name of names) database.exec(`DROP TRIGGER ${quoteIdentifier(name)}`);
}

/** A foreign key that names no key of another table makes every change of the tables fail. */
function hasSoundKeys(database: Database.Database, tables: readonly ChangeableTable[]): boolean {
  database.pragma('foreign_keys = ON');
  try {
    for (const { name, columns } of tables) {
      database.prepare(`DELETE FROM ${name}`);
      for (const column of columns) database.prepare(`UPDATE ${name} SET ${column.name} = NULL`);
    }
    return true;
  } catch {
    return false;
  }
}

function change(database: Database.Database, table: ChangeableTable, shares: Shares, random: Random): void {
  const rows = new Rows(database, table, random);
  for (const rowid of rows.some(shares.drop)) rows.drop(rowid);
  for (const rowid of rows.some(shares.duplicate)) rows.duplicate(rowid);
  for (const column of table.columns) {
    // Two rows that must differ would meet in between.
    if (!column.unique) rows.swap(column, rows.some(shares.swap));
    if (column.nullable) for (const rowid of rows.some(shares.null)) rows.putNull(column, rowid);
  }
}

/** The rows of one table. */
class Rows {
  readonly #database: Database.Database;
  readonly #table: ChangeableTable;
  readonly #random: Random;

  constructor(database: Database.Database, table: ChangeableTable, random: Random) {
    this.#database = database;
    this.#table = table;
    this.#random = random;
  }

  /** Rowids of about a share of the rows, in no order; at least one where there are rows. */
  some(share: number): bigint[] {
    if (share === 0) return [];
    const { name, rowid } = this.#table;
    const listed = this.#database
      .prepare<[], bigint>(`SELECT ${rowid} FROM ${name} ORDER BY ${rowid} LIMIT ${MOST_LISTED + 1}`)
      .pluck()
      .all();
    if (listed.length > MOST_LISTED) return this.#found();
    const count = Math.min(MOST_ROWS, Math.ceil(listed.length * share));
    for (let index = 0; index < count; index++) {
      const other = index + this.#random.below(listed.length - index);
      [listed[index], listed[other]] = [listed[other] ?? 0n, listed[index] ?? 0n];
    }
    return listed.slice(0, count);
  }

  /** Rowids of a large table, found at places between the first and the last. */
  #found(): bigint[] {
    const { name, rowid } = this.#table;
    const [first = 0n, last = 0n] = this.#database
      .prepare<[], bigint[]>(`SELECT min(${rowid}), max(${rowid}) FROM ${name}`)
      .raw()
      .get() ?? [0n, 0n];
    const next = this.#database
      .prepare<[bigint], bigint>(`SELECT ${rowid} FROM ${name} WHERE ${rowid} >= ? ORDER BY ${rowid} LIMIT 1`)
      .pluck();
    const found = new Set<bigint>();
    for (let count = 0; count < MOST_ROWS; count++) {
      const place = first + (BigInt(this.#random.uint32()) * (last - first)) / 2n ** 32n;
      found.add(next.get(place) ?? last);
    }
    return [...found];
  }

  drop(rowid: bigint): void {
    this.#run(`DELETE FROM ${this.#table.name} WHERE ${this.#table.rowid} = ?`, rowid);
  }

  duplicate(rowid: bigint): void {
    const names = this.#table.columns.map(({ name }) => name).join(', ');
    const { name } = this.#table;
    if (names === '') return;
    const select = `SELECT ${names} FROM ${name} WHERE ${this.#table.rowid} = ?`;
    this.#run(`INSERT OR IGNORE INTO ${name} (${names}) ${select}`, rowid);
  }

  putNull(column: ChangeableColumn, rowid: bigint): void {
    this.#set(column, null, rowid);
  }

  /** Swaps the values of a column between the first and the second row, the third and the fourth … */
  swap(column: ChangeableColumn, rowids: readonly bigint[]): void {
    const value = this.#database
      .prepare<[bigint], unknown>(`SELECT ${column.name} FROM ${this.#table.name} WHERE ${this.#table.rowid} = ?`)
      .pluck();
    for (let index = 0; index + 1 < rowids.length; index += 2) {
      const [one = 0n, other = 0n] = rowids.slice(index, index + 2);
      const [first, second] = [value.get(one), value.get(other)];
      if (!this.#set(column, second, one)) continue;
      // Where one half is refused the other is taken back.
      if (!this.#set(column, first, other)) this.#set(column, first, one);
    }
  }

  #set(column: ChangeableColumn, value: unknown, rowid: bigint): boolean {
    const { name, rowid: key } = this.#table;
    return this.#run(`UPDATE OR IGNORE ${name} SET ${column.name} = ? WHERE ${key} = ?`, value, rowid);
  }

  /** Runs a change. @returns whether a row was changed; a foreign key may refuse it */
  #run(sql: string, ...values: unknown[]): boolean {
    try {
      return this.#prepared(sql).run(...values).changes > 0;
    } catch (error) {
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) return false;
      throw error;
    }
  }

  readonly #statements = new Map<string, Database.Statement<unknown[]>>();

  #prepared(sql: string): Database.Statement<unknown[]> {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare<unknown[]>(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
