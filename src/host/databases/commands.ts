import { basename } from 'node:path';
import * as vscode from 'vscode';
import { hasSqliteHeader } from '../../runtime/sqlite-header.ts';
import type { Ctx } from '../ctx.ts';
import { notADatabase, notALocalFile } from '../errors.ts';
import { CUSTOM_EDITORS } from '../ids.ts';
import { databaseOf, tableOf } from './argument.ts';
import { findDatabases } from './find.ts';

const DEFAULT_EDITOR = /\.(sqlite|sqlite3)$/i;
const BROWSE: vscode.QuickPickItem = { label: '$(folder-opened) Browse…', alwaysShow: true };

/**
 * "Open Database…": the one that a menu means, else one of the workspace or of the disk that the user picks.
 * @param table name of a table to show in it
 * @throws AppError where it is no file on disk or no database.
 */
export async function openDatabase(ctx: Ctx, argument: unknown, table?: unknown): Promise<void> {
  const uri = databaseOf(argument) ?? (await pickDatabase('Open Database'));
  if (!uri) return;
  await openInEditor(uri);
  const name = tableOf(argument, table);
  if (name !== null) ctx.revealTable.fire({ db: uri.fsPath, table: name });
}

/** "Open Sample Database": the one that comes with the extension. */
export async function openSample(ctx: Ctx): Promise<void> {
  await openInEditor(ctx.asset('media', 'chinook.sqlite'));
}

/** Opens the read-only editor. @throws AppError where `uri` is no file on disk or no database. */
async function openInEditor(uri: vscode.Uri): Promise<void> {
  if (uri.scheme !== 'file') throw notALocalFile(uri.toString(true));
  if (!(await hasSqliteHeader(uri.fsPath))) throw notADatabase(uri.fsPath);
  const editor = DEFAULT_EDITOR.test(uri.path) ? CUSTOM_EDITORS.database : CUSTOM_EDITORS.databaseOption;
  await vscode.commands.executeCommand('vscode.openWith', uri, editor);
}

/** Lets the user pick a database of the workspace, or any file. @returns null where nothing was picked. */
export async function pickDatabase(title: string): Promise<vscode.Uri | null> {
  const databases = await findDatabases();
  if (databases.length === 0) return await browse(title);
  const items = databases.map((uri) => ({
    label: `$(database) ${basename(uri.fsPath)}`,
    description: vscode.workspace.asRelativePath(vscode.Uri.joinPath(uri, '..')),
    uri,
  }));
  const picked = await vscode.window.showQuickPick<vscode.QuickPickItem & { uri?: vscode.Uri }>([...items, BROWSE], {
    title,
    placeHolder: 'A database of this folder, or any file',
    matchOnDescription: true,
  });
  if (!picked) return null;
  return picked.uri ?? (await browse(title));
}

async function browse(title: string): Promise<vscode.Uri | null> {
  const chosen = await vscode.window.showOpenDialog({
    title,
    openLabel: 'Open',
    filters: { 'SQLite databases': ['sqlite', 'sqlite3', 'db', 'db3', 's3db', 'sl3'], 'All files': ['*'] },
  });
  return chosen?.[0] ?? null;
}
