/**
 * Steps from an empty store to the present one; `user_version` counts those that were applied. A step that has been
 * released is never changed: add another.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE scanned_file (
    id INTEGER PRIMARY KEY,
    -- absolute path of the database
    path TEXT NOT NULL UNIQUE,
    -- size and times of the database and its log
    state TEXT NOT NULL,
    -- when the scan was last asked for, in milliseconds since 1970
    used INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE scanned_column (
    file INTEGER NOT NULL REFERENCES scanned_file ON DELETE CASCADE,
    table_name TEXT NOT NULL,
    column_name TEXT NOT NULL,
    -- JSON array; NULL: too many, or not scanned
    value_list TEXT,
    longer INTEGER NOT NULL,
    non_null INTEGER,
    -- the time budget in milliseconds that was too short; NULL: scanned
    gave_up REAL,
    PRIMARY KEY (file, table_name, column_name)
  ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE content_hash (
    id INTEGER PRIMARY KEY,
    -- absolute path of the database
    path TEXT NOT NULL UNIQUE,
    -- size and times of the database and its log
    state TEXT NOT NULL,
    -- SHA-256 of the bytes of both, in hex
    hash TEXT NOT NULL
  ) STRICT;
  CREATE TABLE score_cache (
    id INTEGER PRIMARY KEY,
    -- SHA-256 of all that the value depends on, in hex
    key TEXT NOT NULL UNIQUE,
    value BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    -- about when it was last asked for, in milliseconds since 1970
    used INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX score_cache_by_use ON score_cache (used, bytes);`,
  `CREATE TABLE ledger_file (
    id INTEGER PRIMARY KEY,
    -- absolute path of the ledger
    path TEXT NOT NULL UNIQUE,
    -- identity, size and times of the file when it was read
    state TEXT NOT NULL,
    -- how many bytes and lines from the beginning are indexed, and the SHA-256 of those bytes
    size INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    hash TEXT NOT NULL,
    -- JSON array of the lines that cannot be read: number and reason
    problems TEXT NOT NULL,
    used INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE ledger_run (
    file INTEGER NOT NULL REFERENCES ledger_file ON DELETE CASCADE,
    -- number of the last line of the run, and where it stands in the file, in bytes
    line INTEGER NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    -- JSON: what a list of runs shows
    summary TEXT NOT NULL,
    PRIMARY KEY (file, line),
    UNIQUE (file, run_id)
  ) STRICT, WITHOUT ROWID;`,
];
