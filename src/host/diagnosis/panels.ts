import { basename } from 'node:path';
import * as vscode from 'vscode';
import { DiagnosisPanelMemory } from '../../protocol/diagnosis-panel.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { PANELS } from '../ids.ts';
import { webviewOptions } from '../webview/open.ts';
import { DiagnosisPanel } from './panel.ts';

/** The diagnosis panels that are open, at most one of each database, and their way back after a reload of the window. */
export class DiagnosisPanels extends Disposable implements vscode.WebviewPanelSerializer {
  readonly #ctx: Ctx;
  readonly #panels = new Map<string, DiagnosisPanel>();

  constructor(ctx: Ctx) {
    super();
    this.#ctx = ctx;
  }

  override dispose(): void {
    for (const panel of this.#panels.values()) panel.dispose();
    super.dispose();
  }

  /** Shows the panel of a database, with a query in it. @param db absolute path */
  async open(db: string, pred: string): Promise<void> {
    const known = this.#panels.get(db);
    known?.reveal();
    const panel = known ?? this.#add(db, this.#create(db));
    await panel.fill(pred, '');
  }

  #create(db: string): vscode.WebviewPanel {
    const title = `Check ${basename(db)}`;
    return vscode.window.createWebviewPanel(
      PANELS.diagnosis,
      title,
      vscode.ViewColumn.Active,
      webviewOptions(this.#ctx),
    );
  }

  #add(db: string, panel: vscode.WebviewPanel): DiagnosisPanel {
    panel.iconPath = this.#ctx.asset('media', 'icon.svg');
    const opened = new DiagnosisPanel(this.#ctx, db, panel);
    this.#panels.set(db, opened);
    panel.onDidDispose(() => {
      opened.dispose();
      if (this.#panels.get(db) === opened) this.#panels.delete(db);
    });
    return opened;
  }

  /** Called by VS Code for a panel that was open before a reload. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, memory: unknown): Promise<void> {
    const parsed = DiagnosisPanelMemory.safeParse(memory);
    if (!parsed.success || this.#panels.has(parsed.data.database)) {
      this.#ctx.log.debug('a diagnosis panel that cannot be restored was closed');
      panel.dispose();
      return;
    }
    const { database, pred, gold, checked } = parsed.data;
    // What was typed is kept by the view.
    const opened = this.#add(database, panel);
    if (checked) await opened.check(pred, gold.trim() === '' ? null : gold);
  }
}
