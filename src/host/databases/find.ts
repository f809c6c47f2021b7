import * as vscode from 'vscode';
import { hasSqliteHeader } from '../../runtime/sqlite-header.ts';

/** Files that may be databases; their first bytes decide. */
export const DATABASE_GLOB = '**/*.{sqlite,sqlite3,db,db3,s3db,sl3}';
/** Most files that are looked at: a folder with more holds no collection of databases that a person browses. */
const MOST_FILES = 2000;

/** The databases of the workspace's folders, by path. Files that the user excludes from the Explorer are left out. */
export async function findDatabases(token?: vscode.CancellationToken): Promise<vscode.Uri[]> {
  const files = await vscode.workspace.findFiles(DATABASE_GLOB, undefined, MOST_FILES, token);
  const local = files.filter(({ scheme }) => scheme === 'file');
  const checked = await Promise.all(local.map(async (uri) => ({ uri, is: await hasSqliteHeader(uri.fsPath) })));
  return checked
    .filter(({ is }) => is)
    .map(({ uri }) => uri)
    .sort((a, b) => a.path.localeCompare(b.path));
}
