import { basename } from 'node:path';
import * as vscode from 'vscode';
import { stateInWords } from '../../core/training/words.ts';
import { localModelOfBase } from '../../runtime/trainer/base-model.ts';
import type { RunSnapshot } from '../../runtime/trainer/run-reader.ts';

/** Says how a run ended that was at work before, and leads to it, or to questions that its adapter answers. */
export async function tellEnd({ folder, state, message, run }: RunSnapshot): Promise<void> {
  const [open, ask] = ['Open Run', 'Ask with This Adapter'];
  // The first line says what happened; the view has all of them.
  const said = `Training ${basename(folder)} ${stateInWords(state)}. ${message.split('\n')[0] ?? ''}`;
  const isBad = state === 'failed' || state === 'died';
  const canAnswer = state === 'done' && run !== null && localModelOfBase(run) !== null;
  const chosen = await (isBad
    ? vscode.window.showErrorMessage(said, open)
    : vscode.window.showInformationMessage(said, ...(canAnswer ? [ask, open] : [open])));
  if (chosen === open) await vscode.commands.executeCommand('sqlAgent.openTraining', folder);
  if (chosen === ask) await vscode.commands.executeCommand('sqlAgent.askWithAdapter', folder);
}
