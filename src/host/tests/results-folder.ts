import { resolve } from 'node:path';
import type * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';

/** Absolute path of the folder with the ledger and the outputs of runs that belong to a workspace folder. May not exist. */
export function resultsFolderOf(ctx: Ctx, { uri }: Pick<vscode.WorkspaceFolder, 'uri'>): string {
  return resolve(uri.fsPath, ctx.config.get('evals.results', uri));
}
