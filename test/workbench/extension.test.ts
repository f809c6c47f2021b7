import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { COMMANDS } from '../../src/host/commands.ts';
import { runningExtension } from './support/extension.ts';

describe('the extension in VS Code', () => {
  it('is not active before it is used, and activates on use', async () => {
    const extension = runningExtension();
    const api = await extension.activate();
    assert.equal(extension.isActive, true);
    assert.ok(api.activateMs >= 0);
  });

  it('registers every command of the table', async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.keys(COMMANDS).filter((id) => !known.has(id)),
      [],
    );
  });
});
