import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { ColumnOrigin, Touched } from '../../protocol/query.ts';
import { Gate } from './child-gate.ts';

/**
 * How a file is opened. `locking`: by SQLite's usual locks. `immutable`: without locks, for a file that the caller
 * checks for changes before and after. `private`: a snapshot of our own.
 */
export type OpenMode = 'locking' | 'immutable' | 'private';

/** A statement that passed the gate, kept to be run again; SQLite compiles it anew where the schema has changed. */
export interface Prepared {
  statement: StatementSync;
  touched: Touched[];
  names: string[];
  origins: ColumnOrigin[];
  /** What the user should know about the statement. */
  notes: string[];
}

/**
 * Longest value and row, in bytes. A text is held twice while it crosses into JavaScript, so that this is a quarter of
 * the memory a child may use.
 */
const MAX_VALUE_BYTES = 256 * 1024 * 1024;
export const MAX_SQL_BYTES = 8 * 1024 * 1024;
const MAX_STATEMENTS = 64;
/** Longest SQL that is kept with its statement, in UTF-16 units. */
const MAX_KEPT_SQL = 65_536;

/** One read-only connection with its gate and its prepared statements. */
export class Connection {
  readonly database: DatabaseSync;
  readonly gate = new Gate();
  #statements = new Map<string, Prepared>();
  #busyMs: number;

  /** @param busyMs how long SQLite waits for a lock of another process. */
  constructor(path: string, mode: OpenMode, busyMs: number) {
    this.#busyMs = busyMs;
    if (mode === 'private') settle(path);
    this.database = new DatabaseSync(address(path, mode), {
      readOnly: true,
      timeout: busyMs,
      allowExtension: false,
      defensive: true,
      enableForeignKeyConstraints: false,
      enableDoubleQuotedStringLiterals: true,
      limits: { length: MAX_VALUE_BYTES, sqlLength: MAX_SQL_BYTES, attach: 0 },
    });
    try {
      this.database.exec('PRAGMA trusted_schema=OFF; PRAGMA query_only=ON; PRAGMA temp_store=MEMORY');
      this.database.setAuthorizer(this.gate.authorize);
      this.connectVirtualTables();
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  setBusyTimeout(busyMs: number): void {
    if (busyMs === this.#busyMs) return;
    this.gate.unguarded(() => this.database.exec(`PRAGMA busy_timeout=${busyMs}`));
    this.#busyMs = busyMs;
  }

  /** A statement that ran before, now the most recently used one. */
  recall(sql: string): Prepared | undefined {
    const prepared = this.#statements.get(sql);
    if (prepared) this.remember(sql, prepared);
    return prepared;
  }

  remember(sql: string, prepared: Prepared): void {
    if (sql.length > MAX_KEPT_SQL) return;
    this.#statements.delete(sql);
    this.#statements.set(sql, prepared);
    if (this.#statements.size <= MAX_STATEMENTS) return;
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined) this.#statements.delete(oldest);
  }

  forget(sql: string): void {
    this.#statements.delete(sql);
  }

  /** False where even the list of tables cannot be read: then the file is the matter, not a statement. */
  canReadSchema(): boolean {
    return this.gate.unguarded(() => {
      try {
        this.database.prepare('SELECT count(*) FROM sqlite_schema').get();
        return true;
      } catch {
        return false;
      }
    });
  }

  /** SQLite's message on a statement that is not run; null where it compiles. */
  prepareError(sql: string): string | null {
    try {
      this.database.prepare(sql);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** The encoding of texts, by its label for TextDecoder. */
  encoding(): string {
    const row = this.gate.unguarded(() => this.database.prepare('PRAGMA encoding').get());
    return String(row?.['encoding']).toLowerCase();
  }

  /**
   * Lets the modules of all virtual tables prepare their own statements, some of which write (R-tree) and which the gate
   * would refuse; nothing of them runs, and the connection could not write. A table whose module fails is passed over.
   * @returns whether there is any virtual table
   */
  connectVirtualTables(): boolean {
    return this.gate.unguarded(() => {
      const names = this.database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage = 0").all();
      for (const { name } of names) {
        try {
          this.database.prepare(`SELECT 1 FROM "${String(name).replaceAll('"', '""')}"`);
        } catch {
          // Whoever asks for this table will hear why.
        }
      }
      return names.length > 0;
    });
  }

  close(): void {
    this.#statements.clear();
    this.database.close();
  }
}

function address(path: string, mode: OpenMode): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'ro');
  if (mode === 'immutable') url.searchParams.set('immutable', '1');
  return url;
}

/** Lets SQLite bring a snapshot of our own into one file: roll back a hot journal, move the WAL into the database. */
function settle(path: string): void {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  const database = new DatabaseSync(url, { timeout: 5000 });
  try {
    database.exec('PRAGMA trusted_schema=OFF; PRAGMA schema_version');
  } finally {
    database.close();
  }
}
