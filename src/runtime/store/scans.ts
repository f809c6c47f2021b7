import type { Database } from 'better-sqlite3';
import * as z from 'zod/mini';
import type { ColumnValues } from '../../protocol/catalog.ts';
import type { StoreFile } from './store-file.ts';

/** What is kept of one column: its values, or the time budget in milliseconds that did not suffice for it. */
export interface KeptColumn {
  values: ColumnValues;
  gaveUp: number | null;
}

const Row = z.object({
  table_name: z.string(),
  column_name: z.string(),
  value_list: z.nullable(z.string()),
  longer: z.number(),
  non_null: z.nullable(z.number()),
  gave_up: z.nullable(z.number()),
});
const Rows = z.array(Row);
const Values = z.array(z.string());

/** Databases whose scans are kept; the one asked for longest ago goes first. */
const MOST_FILES = 100;

function toKept(row: z.infer<typeof Row>): KeptColumn {
  return {
    values: {
      table: row.table_name,
      column: row.column_name,
      values: row.value_list === null ? null : Values.parse(JSON.parse(row.value_list)),
      ...(row.longer > 0 ? { longer: row.longer } : {}),
      nonNull: row.non_null,
    },
    gaveUp: row.gave_up,
  };
}

/** The scans of cell values, by database and its state. */
export class ScanCache {
  readonly #file: StoreFile;

  constructor(file: StoreFile) {
    this.#file = file;
  }

  /** What was scanned of a database in this state; empty where nothing was. */
  read(path: string, state: string): KeptColumn[] {
    const rows = this.#file.run((database) => {
      const found: unknown = database
        .prepare(
          `SELECT table_name, column_name, value_list, longer, non_null, gave_up FROM scanned_column
          WHERE file = (SELECT id FROM scanned_file WHERE path = ? AND state = ?)`,
        )
        .all(path, state);
      return Rows.parse(found);
    }, []);
    return rows.map(toKept);
  }

  /** Keeps columns of a database in this state, beside those that are kept of it. Another state of it is forgotten. */
  write(path: string, state: string, columns: readonly KeptColumn[], now: number): void {
    this.#file.run(
      (database) => database.transaction(() => writeColumns(database, path, state, columns, now)).immediate(),
      undefined,
    );
  }
}

function writeColumns(
  database: Database,
  path: string,
  state: string,
  columns: readonly KeptColumn[],
  now: number,
): void {
  database.prepare('DELETE FROM scanned_file WHERE path = ? AND state <> ?').run(path, state);
  database
    .prepare(
      `INSERT INTO scanned_file (path, state, used) VALUES (?, ?, ?)
      ON CONFLICT (path) DO UPDATE SET used = excluded.used`,
    )
    .run(path, state, now);
  const insert = database.prepare(
    `INSERT OR REPLACE INTO scanned_column (file, table_name, column_name, value_list, longer, non_null, gave_up)
    VALUES ((SELECT id FROM scanned_file WHERE path = ?), ?, ?, ?, ?, ?, ?)`,
  );
  for (const { values, gaveUp } of columns) {
    const list = values.values === null ? null : JSON.stringify(values.values);
    insert.run(path, values.table, values.column, list, values.longer ?? 0, values.nonNull, gaveUp);
  }
  database
    .prepare('DELETE FROM scanned_file WHERE id NOT IN (SELECT id FROM scanned_file ORDER BY used DESC LIMIT ?)')
    .run(MOST_FILES);
}
