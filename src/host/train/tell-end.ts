import { basename } from 'node:path';
import * as vscode from 'vscode';
import { stateInWords } from '../../core/training/words.ts';
import type { RunSnapshot } from '../../runtime/trainer/run-reader.ts';

/** Says how a run ended that was at work before, and leads to it. */
export async function tellEnd({ folder, state, message }: RunSnapshot): Promise<void> {
  const open = 'Open Run';
  // The first line says what happened; the view has all of them.
  const said = `Training ${basename(folder)} ${stateInWords(state)}. ${message.split('\n')[0] ?? ''}`;
  const isBad = state === 'failed' || state === 'died';
  const chosen = await (isBad
    ? vscode.window.showErrorMessage(said, open)
    : vscode.window.showInformationMessage(said, open));
  if (chosen === open) await vscode.commands.executeCommand('sqlAgent.openTraining', folder);
}
