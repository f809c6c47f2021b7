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
];
