import * as vscode from 'vscode';
import { runOfMessage } from './messages.ts';

/** What VS Code hands to a command of the menu `testing/message/content`. */
function isMessage(value: unknown): value is { test: vscode.TestItem; message: vscode.TestMessage } {
  return typeof value === 'object' && value !== null && 'test' in value && 'message' in value;
}

/** "Open Item" on a message of a test: the item as it was in the run that the message is of. */
export async function openTestItem(clicked: unknown): Promise<void> {
  if (!isMessage(clicked)) return;
  const runId = runOfMessage(clicked.message.contextValue);
  if (runId !== null) await vscode.commands.executeCommand('sqlAgent.openRunItem', runId, clicked.test.id);
}
