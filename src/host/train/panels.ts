import { basename } from 'node:path';
import * as vscode from 'vscode';
import { TrainingPanelMemory } from '../../protocol/training-view.ts';
import { isRunFolder } from '../../runtime/trainer/find-runs.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { PANELS } from '../ids.ts';
import { webviewOptions } from '../webview/open.ts';
import { TrainingPanel } from './panel.ts';

interface Open {
  panel: vscode.WebviewPanel;
  shown: TrainingPanel;
}

/** The training views that are open, one for each run. */
export class TrainingPanels extends Disposable {
  readonly #ctx: Ctx;
  readonly #open = new Map<string, Open>();

  constructor(ctx: Ctx) {
    super();
    this.#ctx = ctx;
  }

  /** Shows a run, in its panel where it has one. */
  open(folder: string): TrainingPanel {
    const open = this.#open.get(folder);
    if (open !== undefined) {
      open.panel.reveal();
      return open.shown;
    }
    const options = webviewOptions(this.#ctx);
    const panel = vscode.window.createWebviewPanel(
      PANELS.training,
      basename(folder),
      vscode.ViewColumn.Active,
      options,
    );
    return this.#add(panel, folder, null);
  }

  #add(panel: vscode.WebviewPanel, folder: string, other: string | null): TrainingPanel {
    const shown = new TrainingPanel(this.#ctx, panel, folder, other);
    this.#open.set(folder, { panel, shown });
    panel.onDidChangeViewState(() => panel.visible && shown.wake());
    panel.onDidDispose(() => {
      shown.dispose();
      if (this.#open.get(folder)?.shown === shown) this.#open.delete(folder);
    });
    return shown;
  }

  /** Called for a panel that was open before a reload. One whose run is gone is closed. */
  async restore(panel: vscode.WebviewPanel, memory: unknown): Promise<void> {
    const parsed = TrainingPanelMemory.safeParse(memory);
    if (parsed.success && (await isRunFolder(parsed.data.folder))) {
      const { folder, other } = parsed.data;
      this.#add(panel, folder, other !== null && (await isRunFolder(other)) ? other : null);
    } else panel.dispose();
  }
}
