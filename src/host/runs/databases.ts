import { basename, relative, resolve } from 'node:path';
import * as vscode from 'vscode';
import type { ItemRecord, RunFile } from '../../protocol/eval.ts';
import { findItemDatabase } from '../../runtime/evals/item-database.ts';
import { pathsOfRun } from '../../runtime/evals/run-folder.ts';
import type { Ctx } from '../ctx.ts';
import { folderForPeople } from '../database/state.ts';
import type { RunEntry } from './entry.ts';
import { databasesNotFound } from './errors.ts';

/** Where VS Code keeps the folders that the user chose, by the dataset's file name. */
const KEY = 'sqlAgent.databaseFolders';

function chosenFolders(ctx: Ctx): Record<string, string> {
  return ctx.extension.workspaceState.get<Record<string, string>>(KEY) ?? {};
}

/** The folders that the settings name for a dataset of this file name. */
function namedFolders(ctx: Ctx, dataset: string): string[] {
  return (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) =>
    ctx.config.get('evals.datasets', uri).flatMap(({ file, databases }) => {
      const isMeant = basename(file) === dataset && databases !== undefined;
      return isMeant ? [resolve(uri.fsPath, databases)] : [];
    }),
  );
}

/** Files of the dataset's name in this window, for a run that was made elsewhere. */
async function sameNamed(dataset: string): Promise<string[]> {
  const files = await vscode.workspace.findFiles(`**/${dataset.replaceAll(/[[\]{}*?]/g, '?')}`, undefined, 5);
  return files.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
}

/** A path as people read it: relative to the workspace folder that it is in. */
export function pathForPeople(path: string): string {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
  if (folder === undefined) return folderForPeople(path);
  return relative(folder.uri.fsPath, path) || folder.name;
}

/**
 * The database of a run's item: in the folder that the user chose for the dataset, where the run had it, where the
 * settings say, beside the dataset.
 * @param file what the run began with; null where that is not known
 * @returns its absolute path @throws AppError `databases_not_found`
 */
export async function databaseOfItem(
  ctx: Ctx,
  run: RunEntry,
  file: RunFile | null,
  record: Pick<ItemRecord, 'id' | 'db_id'>,
): Promise<string> {
  const { name, format } = run.config.dataset;
  const chosen = chosenFolders(ctx)[name];
  const paths = file === null ? null : pathsOfRun(run.folder, file);
  const known = [chosen, paths?.databases, ...namedFolders(ctx, name)].filter((root) => typeof root === 'string');
  const found = await findItemDatabase(record, { dataset: paths?.dataset ?? null, format, roots: [...known, null] });
  if (found !== null) return found;
  for (const dataset of await sameNamed(name)) {
    const path = await findItemDatabase(record, { dataset, format, roots: [null] });
    if (path !== null) return path;
  }
  throw databasesNotFound(record.db_id, name, [...new Set(known)].map(pathForPeople));
}

/** Lets the user say where the databases of a dataset are. @returns false where the user left */
export async function chooseDatabases(ctx: Ctx, dataset: string): Promise<boolean> {
  const chosen = await vscode.window.showOpenDialog({
    title: `Folder with the databases of ${dataset}`,
    openLabel: 'Use Folder',
    canSelectFiles: false,
    canSelectFolders: true,
  });
  const folder = chosen?.[0]?.fsPath;
  if (folder === undefined) return false;
  await ctx.extension.workspaceState.update(KEY, { ...chosenFolders(ctx), [dataset]: folder });
  return true;
}
