import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { isActive, stateInWords } from '../../core/training/words.ts';
import type { RunSnapshot } from '../../runtime/trainer/run-reader.ts';
import { pathForPeople } from '../runs/databases.ts';
import { shortProgress } from './status-bar.ts';

interface RunItem extends vscode.QuickPickItem {
  folder: string | null;
}

function itemOf({ folder, state, status, given }: RunSnapshot, progress: string): RunItem {
  const step = status === null || isActive(state) ? progress : `${stateInWords(state)} after step ${status.step}`;
  return {
    label: `$(${isActive(state) ? 'sync' : 'pulse'}) ${basename(folder)}`,
    description: step,
    detail: `${basename(given.model.base)} on ${basename(given.data.train)}, in ${pathForPeople(dirname(folder))}`,
    folder,
  };
}

async function browse(): Promise<string | null> {
  const chosen = await vscode.window.showOpenDialog({
    title: 'Training Run',
    openLabel: 'Open Run',
    canSelectFiles: false,
    canSelectFolders: true,
  });
  return chosen?.[0]?.fsPath ?? null;
}

/** Lets the user pick a run, or any folder. @returns the folder; null where the user left */
export async function pickTraining(title: string, runs: readonly RunSnapshot[]): Promise<string | null> {
  const items = runs.map((run) => itemOf(run, shortProgress(run)));
  const other: RunItem = { label: '$(folder-opened) Browse…', detail: 'The folder of any run', folder: null };
  const options = { title, placeHolder: 'Which run, the last one first', matchOnDescription: true };
  const picked = await vscode.window.showQuickPick([...items, other], options);
  if (picked === undefined) return null;
  return picked.folder ?? (await browse());
}
