import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { DapMessage } from '../../protocol/dap.ts';
import { DapSession } from '../../runtime/dap/session.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';

/** A debug session inside the extension host, on the engine that everything else uses. */
class InlineAdapter extends Disposable implements vscode.DebugAdapter {
  readonly #session: DapSession;
  readonly #sent = this._register(new vscode.EventEmitter<vscode.DebugProtocolMessage>());
  readonly onDidSendMessage = this.#sent.event;

  constructor(session: DapSession) {
    super();
    this.#session = session;
    session.onMessage((message: DapMessage) => this.#sent.fire({ ...message }));
    this._register({ dispose: () => session.dispose() });
  }

  handleMessage(message: vscode.DebugProtocolMessage): void {
    this.#session.handleMessage(message);
  }
}

/** Makes the adapter of a session. @throws AppError where the engine does not open */
export async function openAdapter(ctx: Ctx, folder: vscode.WorkspaceFolder | undefined): Promise<vscode.DebugAdapter> {
  const { sandbox, catalogs } = await ctx.engine();
  const cwd = folder?.uri.fsPath ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir();
  return new InlineAdapter(new DapSession({ sandbox, catalogs, cwd, env: process.env }));
}
