import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasSqliteHeader } from '../sqlite-header.ts';

/** The gold that lies beside a query: `query.gold.sql` beside `query.sql`; undefined where there is none. */
export async function goldBeside(path: string): Promise<string | undefined> {
  if (!/\.sql$/i.test(path) || /\.gold\.sql$/i.test(path)) return undefined;
  const gold = path.replace(/\.sql$/i, '.gold.sql');
  const isFile = (await stat(gold).catch(() => null))?.isFile() ?? false;
  return isFile ? gold : undefined;
}

/** The databases in the folder of a query's file, where it has none, in the working folder; by name. */
export async function databasesBeside(path: string | null, cwd: string): Promise<string[]> {
  const folders = path === null ? [cwd] : [dirname(path), cwd];
  for (const folder of folders) {
    const found = await databasesIn(folder);
    if (found.length > 0) return found;
  }
  return [];
}

async function databasesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const likely = names.filter((name) => /\.(sqlite3?|db3?|s3db|sl3)$/i.test(name)).sort();
  const found: string[] = [];
  for (const name of likely) if (await hasSqliteHeader(join(folder, name))) found.push(join(folder, name));
  return found;
}
