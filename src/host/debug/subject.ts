import { basename } from 'node:path';
import { hasSqliteHeader } from '../../runtime/sqlite-header.ts';
import type { Ctx } from '../ctx.ts';
import { pickDatabase } from '../databases/commands.ts';
import { findDatabases } from '../databases/find.ts';

/** Where VS Code keeps which database a file is debugged on. */
const KEY = 'sqlAgent.debugDatabases';

/**
 * The database that a query is debugged on: the one that was chosen for its file, the only one of the workspace, else one
 * that the user picks, which is remembered.
 * @param path of the query's file; null: it has none
 * @returns its absolute path; null where the user left
 */
export async function databaseFor(ctx: Ctx, path: string | null): Promise<string | null> {
  const { workspaceState } = ctx.extension;
  const known = workspaceState.get<Record<string, string>>(KEY) ?? {};
  const key = path ?? '';
  const before = known[key];
  if (before !== undefined && (await hasSqliteHeader(before))) return before;
  const [only, ...others] = await findDatabases();
  const isOnly = only !== undefined && others.length === 0;
  const title = path === null ? 'Database of the query' : `Database of ${basename(path)}`;
  const picked = isOnly ? only : await pickDatabase(title);
  if (picked === null) return null;
  if (!isOnly) await workspaceState.update(KEY, { ...known, [key]: picked.fsPath });
  return picked.fsPath;
}
