import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Ctx } from '../../src/host/ctx.ts';
import { keepKey } from '../../src/host/models/secrets.ts';
import { testApi } from './support/extension.ts';
import { closeAll, workspaceFile } from './support/tabs.ts';

/** View types of the custom editors that are open on a file. */
function editorsOf(uri: vscode.Uri): string[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs
    .map(({ input }) => input)
    .filter((input) => input instanceof vscode.TabInputCustom)
    .filter((input) => input.uri.toString() === uri.toString())
    .map((input) => input.viewType);
}

describe('the host in VS Code', () => {
  let ctx: Ctx;
  before(async () => {
    ({ ctx } = await testApi());
  });
  afterEach(closeAll);

  it('opens .sqlite in the default editor and .db in the optional one', async () => {
    for (const [name, viewType] of [
      ['chinook.sqlite', 'sqlAgent.database'],
      ['music.db', 'sqlAgent.databaseOption'],
    ] as const) {
      await vscode.commands.executeCommand('sqlAgent.openDatabase', workspaceFile(name));
      assert.deepEqual(editorsOf(workspaceFile(name)), [viewType]);
    }
  });

  it('opens the sample that comes with the extension', async () => {
    await vscode.commands.executeCommand('sqlAgent.openSample');
    assert.deepEqual(editorsOf(ctx.asset('media', 'chinook.sqlite')), ['sqlAgent.database']);
  });

  it('opens no editor for a file that only claims to be a database', async () => {
    await vscode.commands.executeCommand('sqlAgent.openDatabase', workspaceFile('notes.db'));
    assert.deepEqual(editorsOf(workspaceFile('notes.db')), []);
  });

  it('keeps a key for one server alone, and forgets it when told', async () => {
    const { secrets } = ctx.extension;
    await keepKey(secrets, 'http://127.0.0.1:1234/v1', 'key-of-1234');
    assert.equal(await ctx.serverKey('http://127.0.0.1:1234/other/path'), 'key-of-1234');
    assert.equal(await ctx.serverKey('http://127.0.0.1:1235/v1'), null);
    await keepKey(secrets, 'http://127.0.0.1:1234/v1', '');
    assert.equal(await ctx.serverKey('http://127.0.0.1:1234/v1'), null);
  });

  it('reads settings as they are set, and a wrong one as its fallback', async () => {
    const settings = vscode.workspace.getConfiguration('sqlAgent');
    const target = vscode.ConfigurationTarget.Workspace;
    try {
      await settings.update('query.timeoutSeconds', 7, target);
      await settings.update('ask.turns', 0, target);
      assert.equal(ctx.config.ask().timeoutMs, 7000);
      assert.equal(ctx.config.ask().turns, 4);
    } finally {
      await settings.update('query.timeoutSeconds', undefined, target);
      await settings.update('ask.turns', undefined, target);
    }
    assert.equal(ctx.config.ask().timeoutMs, 30_000);
  });

  it('answers from the script of a test, read anew for each question', async () => {
    const script = process.env['SQL_AGENT_SCRIPT'] ?? '';
    for (const reply of ['SELECT 1', 'SELECT 2']) {
      writeFileSync(script, JSON.stringify({ protocol: 'one_shot', replies: [reply] }));
      const provider = await ctx.provider();
      const request = { messages: [], stablePrefix: 0, prefixKey: null, temperature: 0, seed: null, maxTokens: 9 };
      assert.equal((await provider.chat(request, {})).text, reply);
      await provider.dispose();
    }
    writeFileSync(script, '{');
    await assert.rejects(ctx.provider(), { code: 'unreadable_script' });
  });

  it('runs queries in children of the extension host', async () => {
    const { sandbox, store } = await ctx.engine();
    const db = workspaceFile('chinook.sqlite').fsPath;
    const result = await sandbox.query({ db, sql: 'SELECT count(*) FROM Album' });
    assert.deepEqual([result.status, result.rows], ['ok', [[347]]]);
    assert.notEqual(store, null, 'the store could not be opened: does better-sqlite3 load here?');
    assert.equal(ctx.storage, process.env['SQL_AGENT_HOME']);
  });
});
