import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A fresh folder for one test file or test; `remove` deletes it with all that is in it. */
export interface TemporaryFolder {
  path: string;
  /** Makes a database from SQL. @returns its absolute path */
  database(name: string, sql: string): string;
  remove(): void;
}

/** Makes a folder under the system's folder for temporary files. */
export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'sql-agent-test-'));
  return {
    path,
    database(name, sql) {
      const file = join(path, name);
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
      return file;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
