/** Names of SQLite's result codes, primary and extended (https://sqlite.org/rescode.html). */
const NAMES: Record<number, string> = {
  1: 'SQLITE_ERROR',
  2: 'SQLITE_INTERNAL',
  3: 'SQLITE_PERM',
  4: 'SQLITE_ABORT',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  9: 'SQLITE_INTERRUPT',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  12: 'SQLITE_NOTFOUND',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  15: 'SQLITE_PROTOCOL',
  16: 'SQLITE_EMPTY',
  17: 'SQLITE_SCHEMA',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  21: 'SQLITE_MISUSE',
  22: 'SQLITE_NOLFS',
  23: 'SQLITE_AUTH',
  24: 'SQLITE_FORMAT',
  25: 'SQLITE_RANGE',
  26: 'SQLITE_NOTADB',
  257: 'SQLITE_ERROR_MISSING_COLLSEQ',
  261: 'SQLITE_BUSY_RECOVERY',
  262: 'SQLITE_LOCKED_SHAREDCACHE',
  264: 'SQLITE_READONLY_RECOVERY',
  266: 'SQLITE_IOERR_READ',
  267: 'SQLITE_CORRUPT_VTAB',
  270: 'SQLITE_CANTOPEN_NOTEMPDIR',
  513: 'SQLITE_ERROR_RETRY',
  517: 'SQLITE_BUSY_SNAPSHOT',
  520: 'SQLITE_READONLY_CANTLOCK',
  522: 'SQLITE_IOERR_SHORT_READ',
  523: 'SQLITE_CORRUPT_SEQUENCE',
  526: 'SQLITE_CANTOPEN_ISDIR',
  769: 'SQLITE_ERROR_SNAPSHOT',
  773: 'SQLITE_BUSY_TIMEOUT',
  776: 'SQLITE_READONLY_ROLLBACK',
  778: 'SQLITE_IOERR_WRITE',
  779: 'SQLITE_CORRUPT_INDEX',
  782: 'SQLITE_CANTOPEN_FULLPATH',
  1032: 'SQLITE_READONLY_DBMOVED',
  1288: 'SQLITE_READONLY_CANTINIT',
  1544: 'SQLITE_READONLY_DIRECTORY',
  3082: 'SQLITE_IOERR_NOMEM',
  3850: 'SQLITE_IOERR_LOCK',
};

/** The primary result code of an extended one: its low byte. */
export function primaryCode(extended: number): number {
  return extended & 0xff;
}

/** The name of a result code; of its primary code where the extended one has no name here. */
export function sqliteCodeName(extended: number): string {
  return NAMES[extended] ?? NAMES[primaryCode(extended)] ?? `SQLITE_${extended}`;
}
