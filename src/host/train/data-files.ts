import * as vscode from 'vscode';
import { SUITE_ENDING } from '../../protocol/dataset.ts';

const DATA_GLOB = '**/*{train,pair,sft,chat}*.{jsonl,jsonl.gz}';
const ELSEWHERE = '**/{node_modules,training-runs}/**';
/** Files that are offered. */
const MOST = 20;

/** Files of the workspace that look like training data, by path. */
export async function findTrainingData(): Promise<vscode.Uri[]> {
  const files = await vscode.workspace.findFiles(DATA_GLOB, ELSEWHERE, MOST);
  return files
    .filter(({ scheme, path }) => scheme === 'file' && !path.endsWith(SUITE_ENDING))
    .sort((one, other) => one.path.localeCompare(other.path));
}
