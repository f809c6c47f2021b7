import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import * as vscode from 'vscode';
import { CUSTOM_EDITORS } from '../../src/host/ids.ts';
import { activeTab, closeAll, untilTabs, workspaceFile } from './support/tabs.ts';

function viewType(): string | null {
  const input = activeTab()?.input;
  return input instanceof vscode.TabInputCustom ? input.viewType : null;
}

describe('the database editor in VS Code', () => {
  afterEach(closeAll);

  it('opens *.sqlite by default', async () => {
    await vscode.commands.executeCommand('vscode.open', workspaceFile('chinook.sqlite'));
    await untilTabs(() => viewType() === CUSTOM_EDITORS.database, 'the database editor');
  });

  it('leaves *.db to others, and opens it when it is chosen', async () => {
    const music = workspaceFile('music.db');
    await vscode.commands.executeCommand('vscode.open', music);
    await untilTabs(() => activeTab()?.label === 'music.db', 'music.db');
    assert.equal(viewType(), null);
    await vscode.commands.executeCommand('vscode.openWith', music, CUSTOM_EDITORS.databaseOption);
    await untilTabs(() => viewType() === CUSTOM_EDITORS.databaseOption, 'the database editor');
  });

  it('is opened by its command, whatever the name of the file', async () => {
    await vscode.commands.executeCommand('sqlAgent.openDatabase', workspaceFile('music.db'));
    await untilTabs(() => viewType() === CUSTOM_EDITORS.databaseOption, 'the database editor');
  });

  it('opens no file that is not a database by its command', async () => {
    await vscode.commands.executeCommand('sqlAgent.openDatabase', workspaceFile('notes.db'));
    assert.equal(activeTab(), undefined);
  });

  it('shows a database twice, side by side', async () => {
    await vscode.commands.executeCommand('vscode.open', workspaceFile('chinook.sqlite'));
    await untilTabs(() => viewType() === CUSTOM_EDITORS.database, 'the database editor');
    await vscode.commands.executeCommand('workbench.action.splitEditor');
    await untilTabs(() => vscode.window.tabGroups.all.length === 2, 'a second group');
    assert.equal(viewType(), CUSTOM_EDITORS.database);
  });

  it('leaves nothing beside the file', async () => {
    const folder = vscode.Uri.joinPath(workspaceFile('chinook.sqlite'), '..').fsPath;
    const before = readdirSync(folder);
    await vscode.commands.executeCommand('vscode.open', workspaceFile('chinook.sqlite'));
    await untilTabs(() => viewType() === CUSTOM_EDITORS.database, 'the database editor');
    await closeAll();
    assert.deepEqual(readdirSync(folder), before);
  });
});
