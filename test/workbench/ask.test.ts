import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { CUSTOM_EDITORS, PANELS } from '../../src/host/ids.ts';
import { activeTab, allTabs, closeAll, untilTabs, workspaceFile } from './support/tabs.ts';

function askTabs(): vscode.Tab[] {
  // VS Code puts a word of its own before the view type.
  return allTabs().filter(
    ({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(PANELS.ask),
  );
}

describe('Ask… in VS Code', () => {
  afterEach(closeAll);

  it('opens one panel for each database', async () => {
    await vscode.commands.executeCommand('sqlAgent.ask', workspaceFile('chinook.sqlite'));
    await vscode.commands.executeCommand('sqlAgent.ask', workspaceFile('chinook.sqlite'), 'How many albums?');
    await vscode.commands.executeCommand('sqlAgent.ask', workspaceFile('music.db'));
    await untilTabs(() => askTabs().length === 2, 'two ask panels');
    assert.deepEqual(
      askTabs()
        .map(({ label }) => label)
        .sort(),
      ['Ask chinook.sqlite', 'Ask music.db'],
    );
  });

  it('asks the database of the active editor, beside it', async () => {
    await vscode.commands.executeCommand('vscode.open', workspaceFile('chinook.sqlite'));
    const isOpen = () => {
      const input = activeTab()?.input;
      return input instanceof vscode.TabInputCustom && input.viewType === CUSTOM_EDITORS.database;
    };
    await untilTabs(isOpen, 'the database editor');
    await vscode.commands.executeCommand('sqlAgent.ask');
    await untilTabs(() => askTabs().length === 1, 'the ask panel');
    assert.equal(askTabs()[0]?.group.viewColumn, vscode.ViewColumn.Two);
  });

  it('opens no panel for a file that is not a database', async () => {
    await vscode.commands.executeCommand('sqlAgent.ask', workspaceFile('notes.db'));
    await vscode.commands.executeCommand('sqlAgent.ask', vscode.Uri.parse('untitled:Untitled-1'));
    assert.deepEqual(askTabs(), []);
  });

  it('opens a new panel after the last one was closed', async () => {
    await vscode.commands.executeCommand('sqlAgent.ask', workspaceFile('chinook.sqlite'));
    await untilTabs(() => askTabs().length === 1, 'the ask panel');
    await closeAll();
    await vscode.commands.executeCommand('sqlAgent.ask', workspaceFile('chinook.sqlite'));
    await untilTabs(() => askTabs().length === 1, 'the ask panel again');
  });
});
