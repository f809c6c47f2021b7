import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { resultsFolderOf } from '../tests/results-folder.ts';

/** The folder of results of each workspace folder, without repeats. They may not exist. */
export function resultsFolders(ctx: Ctx): string[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return [...new Set(folders.map((folder) => resultsFolderOf(ctx, folder)))];
}
