import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { AskPanelMemory } from '../../protocol/ask-panel.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { PANELS } from '../ids.ts';
import { webviewOptions } from '../webview/open.ts';
import { AskHistory } from './history.ts';
import { AskPanel } from './panel.ts';
import { RecordFolder } from './record.ts';
import type { AskState } from './state.ts';

/** The ask panels that are open, at most one of each database, and their way back after a reload of the window. */
export class AskPanels extends Disposable implements vscode.WebviewPanelSerializer {
  readonly #ctx: Ctx;
  readonly #history: AskHistory;
  readonly #records: RecordFolder;
  readonly #panels = new Map<string, AskPanel>();

  constructor(ctx: Ctx) {
    super();
    this.#ctx = ctx;
    this.#history = new AskHistory(ctx.extension.globalState);
    const storage = ctx.extension.storageUri ?? ctx.extension.globalStorageUri;
    this.#records = new RecordFolder(vscode.Uri.joinPath(storage, 'ask').fsPath);
  }

  override dispose(): void {
    for (const panel of this.#panels.values()) panel.dispose();
    super.dispose();
  }

  /** Shows the panel of a database beside what is open, with a question in its box where one is given. */
  open(db: string, question: string | null, evidence: string): void {
    const known = this.#panels.get(db);
    if (known !== undefined) {
      known.reveal(question, evidence);
      return;
    }
    const panel = vscode.window.createWebviewPanel(
      PANELS.ask,
      `Ask ${basename(db)}`,
      vscode.ViewColumn.Beside,
      webviewOptions(this.#ctx),
    );
    const id = randomUUID();
    this.#add(id, db, panel, null);
    if (question !== null) this.#panels.get(db)?.reveal(question, evidence);
    void this.#records.prune();
  }

  /** Called by VS Code for a panel that was open before a reload. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, memory: unknown): Promise<void> {
    const parsed = AskPanelMemory.safeParse(memory);
    if (!parsed.success || this.#panels.has(parsed.data.database)) {
      this.#ctx.log.debug('an ask panel that cannot be restored was closed');
      panel.dispose();
      return;
    }
    const { panel: id, database } = parsed.data;
    this.#add(id, database, panel, await this.#records.read(id));
  }

  #add(id: string, db: string, panel: vscode.WebviewPanel, state: AskState | null): void {
    panel.iconPath = this.#ctx.asset('media', 'icon.svg');
    const { history, records } = { history: this.#history, records: this.#records };
    const opened = new AskPanel(this.#ctx, { id, db, panel, history, records, state });
    this.#panels.set(db, opened);
    panel.onDidDispose(() => {
      opened.dispose();
      if (this.#panels.get(db) === opened) this.#panels.delete(db);
      void records.remove(id);
    });
  }
}
