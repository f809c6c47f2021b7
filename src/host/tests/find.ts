import { resolve } from 'node:path';
import * as vscode from 'vscode';
import { SUITE_ENDING } from '../../protocol/dataset.ts';
import type { Ctx } from '../ctx.ts';

/** Suite files of the workspace. */
export const SUITE_GLOB = `**/*${SUITE_ENDING}`;

/** A file with questions that the Test Explorer shows. */
export interface SuiteSource {
  uri: vscode.Uri;
  /** Where its results are kept. */
  folder: vscode.WorkspaceFolder;
  /** Absolute path of the folder of the databases; null: beside the file. */
  databases: string | null;
}

async function suiteFiles(token?: vscode.CancellationToken): Promise<SuiteSource[]> {
  const files = await vscode.workspace.findFiles(SUITE_GLOB, undefined, undefined, token);
  return files.flatMap((uri) => {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    return uri.scheme === 'file' && folder ? [{ uri, folder, databases: null }] : [];
  });
}

/** The datasets that the settings name. */
function namedDatasets(ctx: Ctx): SuiteSource[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return folders.flatMap((folder) => {
    const { uri } = folder;
    return ctx.config.get('evals.datasets', uri).map(({ file, databases }) => ({
      uri: vscode.Uri.file(resolve(uri.fsPath, file)),
      folder,
      databases: databases === undefined ? null : resolve(uri.fsPath, databases),
    }));
  });
}

/** All files with questions, by path: suite files of the workspace, and datasets that the settings name. */
export async function findSuites(ctx: Ctx, token?: vscode.CancellationToken): Promise<SuiteSource[]> {
  const found = new Map<string, SuiteSource>();
  // What the settings say of a file says more than that it is there.
  for (const source of [...(await suiteFiles(token)), ...namedDatasets(ctx)]) found.set(source.uri.fsPath, source);
  return [...found.values()].sort((a, b) => a.uri.path.localeCompare(b.uri.path));
}
