import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { COMMANDS } from '../../src/host/commands.ts';
import { testApi } from './support/extension.ts';

describe('the extension in VS Code', () => {
  it('registers every command of the table', async () => {
    await testApi();
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.keys(COMMANDS).filter((id) => !known.has(id)),
      [],
    );
  });

  it('gives every setting its default', () => {
    const settings = vscode.workspace.getConfiguration('sqlAgent');
    assert.equal(settings.get('model.provider'), 'local');
    assert.equal(settings.get('ask.turns'), 4);
  });
});
