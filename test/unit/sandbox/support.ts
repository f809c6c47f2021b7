import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { QueryRequest, QueryResult } from '../../../src/protocol/query.ts';
import { type PoolOptions, SandboxPool } from '../../../src/runtime/sandbox/pool.ts';

/** A query that never ends. */
export const RUNAWAY = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

/** A fresh folder with a pool of its own and a temp folder that the pool alone uses. */
export class Bench {
  readonly root = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
  readonly data = join(this.root, 'data');
  readonly temp = join(this.root, 'temp');
  readonly pool: SandboxPool;

  constructor(options: PoolOptions = {}) {
    mkdirSync(this.data);
    mkdirSync(this.temp);
    this.pool = new SandboxPool({ children: 1, tempFolder: this.temp, ...options });
  }

  /** Makes a database in the data folder. */
  database(name: string, sql: string): string {
    const path = join(this.data, name);
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    return path;
  }

  query(db: string, sql: string, options: Partial<QueryRequest> = {}): Promise<QueryResult> {
    return this.pool.query({ db, sql, ...options });
  }

  async close(): Promise<void> {
    await this.pool.dispose();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Paths below a folder with the hash of each file's content. */
export function contentOf(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    files[relative(folder, path)] = entry.isFile()
      ? createHash('sha256').update(readFileSync(path)).digest('hex')
      : 'folder';
  }
  return files;
}

/** Paths of all files below a folder. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
