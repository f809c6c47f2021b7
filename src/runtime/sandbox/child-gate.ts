import { constants } from 'node:sqlite';
import type { Touched } from '../../protocol/query.ts';
import { isAllowedPragma, isDeniedFunction } from './allowed.ts';

/** Why the gate refused: a stable code and what was refused. */
export interface Refusal {
  code: 'write' | 'temp' | 'transaction' | 'attach' | 'pragma' | 'function' | 'denied';
  /** The table, function, pragma … that was asked for. */
  subject: string | null;
}

const REFUSALS = new Map<number, Refusal['code']>([
  [constants.SQLITE_TRANSACTION, 'transaction'],
  [constants.SQLITE_SAVEPOINT, 'transaction'],
  [constants.SQLITE_ATTACH, 'attach'],
  [constants.SQLITE_DETACH, 'attach'],
  [constants.SQLITE_PRAGMA, 'pragma'],
  [constants.SQLITE_FUNCTION, 'function'],
  [constants.SQLITE_CREATE_TEMP_INDEX, 'temp'],
  [constants.SQLITE_CREATE_TEMP_TABLE, 'temp'],
  [constants.SQLITE_CREATE_TEMP_TRIGGER, 'temp'],
  [constants.SQLITE_CREATE_TEMP_VIEW, 'temp'],
  [constants.SQLITE_DROP_TEMP_INDEX, 'temp'],
  [constants.SQLITE_DROP_TEMP_TABLE, 'temp'],
  [constants.SQLITE_DROP_TEMP_TRIGGER, 'temp'],
  [constants.SQLITE_DROP_TEMP_VIEW, 'temp'],
  [constants.SQLITE_INSERT, 'write'],
  [constants.SQLITE_UPDATE, 'write'],
  [constants.SQLITE_DELETE, 'write'],
  [constants.SQLITE_CREATE_INDEX, 'write'],
  [constants.SQLITE_CREATE_TABLE, 'write'],
  [constants.SQLITE_CREATE_TRIGGER, 'write'],
  [constants.SQLITE_CREATE_VIEW, 'write'],
  [constants.SQLITE_CREATE_VTABLE, 'write'],
  [constants.SQLITE_DROP_INDEX, 'write'],
  [constants.SQLITE_DROP_TABLE, 'write'],
  [constants.SQLITE_DROP_TRIGGER, 'write'],
  [constants.SQLITE_DROP_VIEW, 'write'],
  [constants.SQLITE_DROP_VTABLE, 'write'],
  [constants.SQLITE_ALTER_TABLE, 'write'],
  [constants.SQLITE_REINDEX, 'write'],
  [constants.SQLITE_ANALYZE, 'write'],
]);

/**
 * SQLite's authorizer of one connection. It lets through what reads (SELECT, READ, RECURSIVE, functions that are not on
 * the deny-list, pragmas on the allow-list) and refuses all else, with the first refusal kept; it notes what was read.
 */
export class Gate {
  refusal: Refusal | null = null;
  /** Counts what SQLite asked; it asks while it compiles a statement. */
  events = 0;
  #touched = new Map<string, Set<string>>();
  #open = false;

  /** Forgets the last statement. */
  reset(): void {
    this.refusal = null;
    this.#touched = new Map();
  }

  /** Runs set-up of our own with the gate open. */
  unguarded<T>(work: () => T): T {
    this.#open = true;
    try {
      return work();
    } finally {
      this.#open = false;
    }
  }

  /** Tables and views in the order in which SQLite first named them; columns likewise. */
  touched(): Touched[] {
    return [...this.#touched].map(([table, columns]) => ({ table, columns: [...columns] }));
  }

  /** The callback for `setAuthorizer`. It never throws: an exception here would replace SQLite's own error. */
  readonly authorize = (action: number, first: string | null, second: string | null, schema: string | null): number => {
    if (this.#open) return constants.SQLITE_OK;
    this.events++;
    switch (action) {
      case constants.SQLITE_SELECT:
      case constants.SQLITE_RECURSIVE:
        return constants.SQLITE_OK;
      case constants.SQLITE_READ:
        this.#touch(first ?? '', second ?? '');
        return constants.SQLITE_OK;
      case constants.SQLITE_FUNCTION:
        return isDeniedFunction(second ?? '') ? this.#refuse('function', second) : constants.SQLITE_OK;
      case constants.SQLITE_PRAGMA:
        return isAllowedPragma(first ?? '', second) ? constants.SQLITE_OK : this.#refuse('pragma', first);
      default:
        return this.#refuse(schema === 'temp' ? 'temp' : (REFUSALS.get(action) ?? 'denied'), first);
    }
  };

  #refuse(code: Refusal['code'], subject: string | null): number {
    this.refusal ??= { code, subject };
    return constants.SQLITE_DENY;
  }

  #touch(table: string, column: string): void {
    let columns = this.#touched.get(table);
    if (!columns) {
      columns = new Set();
      this.#touched.set(table, columns);
    }
    if (column !== '') columns.add(column);
  }
}
