import { resolve } from 'node:path';
import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { noTrainingFolder } from './errors.ts';

/** Where VS Code keeps the folders of runs that lie elsewhere and were opened in this window. */
const KEY = 'sqlAgent.trainings';
/** Runs that are remembered, the last ones. */
const MOST = 30;

/** Absolute path of the folder with the training runs of a workspace folder. May not exist. */
export function trainingFolderOf(ctx: Ctx, { uri }: Pick<vscode.WorkspaceFolder, 'uri'>): string {
  return resolve(uri.fsPath, ctx.config.get('training.folder', uri));
}

function localFolders(): vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

/** The folders of training runs of this window, without repeats. They may not exist. */
export function trainingFolders(ctx: Ctx): string[] {
  return [...new Set(localFolders().map((folder) => trainingFolderOf(ctx, folder)))];
}

/** The workspace folder that a file belongs to, else the first. @throws AppError `no_workspace_folder` */
export function workspaceFolderFor(path: string): vscode.WorkspaceFolder {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)) ?? localFolders()[0];
  if (folder === undefined) throw noTrainingFolder();
  return folder;
}

/** Folders of runs that were opened in this window. */
export function rememberedRuns({ extension }: Ctx): string[] {
  return extension.workspaceState.get<string[]>(KEY) ?? [];
}

/** Keeps in mind a run that was opened. */
export async function rememberRun(ctx: Ctx, folder: string): Promise<void> {
  const others = rememberedRuns(ctx).filter((other) => other !== folder);
  await ctx.extension.workspaceState.update(KEY, [...others, folder].slice(-MOST));
}
