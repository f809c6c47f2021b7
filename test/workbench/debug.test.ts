import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import type { DapMessage, Scope, Variable } from '../../src/protocol/dap.ts';
import { testApi } from './support/extension.ts';
import { workspaceFile } from './support/tabs.ts';

const QUERY = `SELECT a.Name, count(*) AS albums
FROM Artist a
JOIN Album b ON b.ArtistId = a.ArtistId
WHERE a.Name LIKE 'A%'
GROUP BY a.Name
ORDER BY albums DESC
`;
const GOLD = QUERY.replace("'A%'", "'A%s'");

/** What adapters of our debug type send, as it comes. */
class Sent implements vscode.DebugAdapterTrackerFactory {
  readonly #waiting: { event: string; take: (body: Record<string, unknown>) => void }[] = [];

  /** The session that was begun last. */
  session: vscode.DebugSession | null = null;

  createDebugAdapterTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker {
    this.session = session;
    return { onDidSendMessage: (message: DapMessage) => this.#take(message) };
  }

  #take(message: DapMessage): void {
    if (message.type !== 'event') return;
    const at = this.#waiting.findIndex(({ event }) => event === message.event);
    if (at >= 0) this.#waiting.splice(at, 1)[0]?.take((message.body ?? {}) as Record<string, unknown>);
  }

  next(event: string): Promise<Record<string, unknown>> {
    return new Promise((take) => this.#waiting.push({ event, take }));
  }

  /** What a failed test waited for must not take what the next one waits for. */
  forget(): void {
    this.#waiting.length = 0;
  }
}

/** Waits until VS Code shows the clause of a line of a session: it hears of a stop after the adapter's trackers. */
async function shown(session: vscode.DebugSession, line: number): Promise<void> {
  const isThere = async () => {
    const item = vscode.debug.activeStackItem;
    // For a while after a session has ended VS Code goes on to name its last frame.
    if (!(item instanceof vscode.DebugStackFrame) || item.session.id !== session.id) return false;
    const { stackFrames } = await item.session.customRequest('stackTrace', { threadId: item.threadId, levels: 1 });
    return stackFrames[0]?.id === item.frameId && stackFrames[0]?.line === line;
  };
  if (await isThere()) return;
  await new Promise<void>((resolve) => {
    const listening = vscode.debug.onDidChangeActiveStackItem(async () => {
      if (!(await isThere())) return;
      listening.dispose();
      resolve();
    });
  });
}

describe('the debugger of queries in VS Code', () => {
  const sent = new Sent();
  const owned: vscode.Disposable[] = [];
  let query: vscode.Uri;
  let gold: vscode.Uri;
  let database: string;

  before(async () => {
    await testApi();
    owned.push(vscode.debug.registerDebugAdapterTrackerFactory('sql-trace', sent));
    [query, gold] = [workspaceFile('artists.sql'), workspaceFile('other.sql')];
    database = workspaceFile('chinook.sqlite').fsPath;
    writeFileSync(query.fsPath, QUERY);
    writeFileSync(gold.fsPath, GOLD);
  });
  afterEach(async () => {
    sent.forget();
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    if (vscode.debug.activeDebugSession) await vscode.debug.stopDebugging();
  });
  after(() => {
    for (const item of owned) item.dispose();
    for (const { fsPath } of [query, gold]) rmSync(fsPath, { force: true });
  });

  const start = async (more: object) => {
    const stopped = sent.next('stopped');
    const config = { type: 'sql-trace', request: 'launch', name: 'test', database, ...more };
    assert.equal(await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], config), true);
    return stopped;
  };
  const session = () => {
    assert.ok(sent.session);
    return sent.session;
  };
  const ask = (command: string, args: object) => session().customRequest(command, args);
  const topFrame = async () => (await ask('stackTrace', { threadId: 1, startFrame: 0, levels: 1 })).stackFrames[0];

  it('steps by the commands of VS Code, and gives rows as variables', async () => {
    assert.equal((await start({ program: query.fsPath }))['description'], 'FROM Artist a · 275 rows');
    await shown(session(), 2);
    const stopped = sent.next('stopped');
    await vscode.commands.executeCommand('workbench.action.debug.stepOver');
    assert.equal((await stopped)['description'], 'JOIN Album b · 347 rows');
    const frame = await topFrame();
    assert.deepEqual([frame.line, frame.source.path.endsWith(query.path)], [3, true]);
    const { scopes }: { scopes: Scope[] } = await ask('scopes', { frameId: frame.id });
    const page = { variablesReference: scopes[0]?.variablesReference, filter: 'indexed', start: 0, count: 1 };
    const { variables }: { variables: Variable[] } = await ask('variables', page);
    assert.match(variables[0]?.value ?? '', /^ArtistId 1, Name 'AC\/DC', AlbumId 1/);
  });

  it('stops at a breakpoint that was set in the editor', async () => {
    vscode.debug.addBreakpoints([
      new vscode.SourceBreakpoint(new vscode.Location(query, new vscode.Position(3, 0)), true, 'count(*) < 100'),
    ]);
    const stop = await start({ program: query.fsPath, stopOnEntry: false });
    assert.equal(stop['reason'], 'breakpoint');
    assert.match(String(stop['description']), /^WHERE · \d+ rows$/);
    assert.equal((await topFrame()).line, 4);
  });

  it('stops where the rows diverge from the gold', async () => {
    const stop = await start({ program: query.fsPath, gold: gold.fsPath, stopOnEntry: false });
    assert.equal(stop['reason'], 'exception');
    assert.equal((await topFrame()).line, 4);
    assert.equal(stop['text'], 'WHERE keeps 25 rows that the gold drops.');
  });

  it('tells the number of rows at the end of each clause', async () => {
    await start({ program: query.fsPath });
    await shown(session(), 2);
    const stopped = sent.next('stopped');
    await vscode.commands.executeCommand('workbench.action.debug.stepOver');
    await stopped;
    const { counts } = await ask('sqlTrace/rowCounts', { frameId: (await topFrame()).id });
    assert.deepEqual(counts, [
      { line: 2, column: 14, text: '275 rows' },
      { line: 3, column: 40, text: '347 rows' },
    ]);
  });

  it('means a name with its alias, or a call, by a hover', async () => {
    const document = await vscode.workspace.openTextDocument(query);
    const { expressionAt } = await import('../../src/host/debug/hover.ts');
    const at = (line: number, column: number) => {
      const found = expressionAt(document, new vscode.Position(line, column));
      return found && document.getText(found.range);
    };
    assert.deepEqual([at(0, 10), at(0, 17), at(0, 1), at(2, 16)], ['a.Name', 'count(*)', undefined, 'b.ArtistId']);
  });

  it('ends the session when the query has come to its end', async () => {
    await start({ program: query.fsPath });
    await shown(session(), 2);
    const ended = new Promise((resolve) => owned.push(vscode.debug.onDidTerminateDebugSession(resolve)));
    await vscode.commands.executeCommand('workbench.action.debug.continue');
    await ended;
  });
});
