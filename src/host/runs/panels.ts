import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { ComparePanelMemory } from '../../protocol/compare-panel.ts';
import { ItemPanelMemory } from '../../protocol/item-panel.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { PANELS } from '../ids.ts';
import { webviewOptions } from '../webview/open.ts';
import { ComparePanel } from './compare-panel.ts';
import { ItemPanel } from './item-panel.ts';
import { runOfTitle, showReport } from './report-panel.ts';
import type { RunStore } from './store.ts';

/** The panels of runs by their names in `PANELS`. */
export type RunPanelName = 'item' | 'compare' | 'report';

/** Of an open comparison, or of a report, what tells it from others. */
const pair = (a: string, b: string) => `${a}\n${b}`;

/** The panels of runs that are open: one of items, one for each comparison and each report. */
export class RunPanels extends Disposable {
  readonly #ctx: Ctx;
  readonly #store: RunStore;
  readonly #comparisons = new Map<string, vscode.WebviewPanel>();
  readonly #reports = new Map<string, vscode.WebviewPanel>();
  #item: { panel: vscode.WebviewPanel; shown: ItemPanel } | null = null;

  constructor(ctx: Ctx, store: RunStore) {
    super();
    this.#ctx = ctx;
    this.#store = store;
  }

  #create(name: RunPanelName, title: string, column: vscode.ViewColumn): vscode.WebviewPanel {
    return vscode.window.createWebviewPanel(PANELS[name], title, column, {
      ...webviewOptions(this.#ctx),
      enableFindWidget: name === 'report',
    });
  }

  /** Closes a panel again whose contents cannot be shown. */
  async #fill(panel: vscode.WebviewPanel, fill: () => Promise<void>): Promise<void> {
    try {
      await fill();
    } catch (error) {
      panel.dispose();
      throw error;
    }
  }

  /** Shows an item, in the panel of items that is open. @throws AppError where run or item are gone */
  async openItem(run: string, item: string): Promise<void> {
    const open = this.#item;
    if (open !== null) {
      await open.shown.show(run, item);
      open.panel.reveal(undefined, true);
      return;
    }
    const panel = this.#create('item', 'Item', vscode.ViewColumn.Active);
    await this.#fill(panel, () => this.#addItem(panel).show(run, item));
  }

  #addItem(panel: vscode.WebviewPanel): ItemPanel {
    panel.iconPath = this.#ctx.asset('media', 'icon.svg');
    const shown = new ItemPanel(this.#ctx, this.#store, panel);
    this.#item = { panel, shown };
    panel.onDidDispose(() => {
      shown.dispose();
      if (this.#item?.shown === shown) this.#item = null;
    });
    return shown;
  }

  /** Compares two runs. @throws AppError where that cannot be done */
  async openComparison(a: string, b: string): Promise<void> {
    const open = this.#comparisons.get(pair(a, b));
    if (open !== undefined) return open.reveal();
    const panel = this.#create('compare', 'Compare Runs', vscode.ViewColumn.Active);
    await this.#fill(panel, () => this.#addComparison(panel, a, b).show(a, b));
  }

  #addComparison(panel: vscode.WebviewPanel, a: string, b: string): ComparePanel {
    panel.iconPath = this.#ctx.asset('media', 'icon.svg');
    const shown = new ComparePanel(this.#ctx, this.#store, panel);
    this.#keep(this.#comparisons, pair(a, b), panel);
    panel.onDidDispose(() => shown.dispose());
    return shown;
  }

  /** Shows the report of a run as it is now. @throws AppError where the run is gone */
  async openReport(run: string): Promise<void> {
    const open = this.#reports.get(run);
    const panel = open ?? this.#create('report', 'Report', vscode.ViewColumn.Active);
    if (open === undefined) this.#addReport(panel, run);
    open?.reveal();
    await this.#fill(panel, () => showReport(this.#store, panel, run));
  }

  #addReport(panel: vscode.WebviewPanel, run: string): void {
    panel.iconPath = this.#ctx.asset('media', 'icon.svg');
    this.#keep(this.#reports, run, panel);
  }

  #keep(panels: Map<string, vscode.WebviewPanel>, key: string, panel: vscode.WebviewPanel): void {
    panels.set(key, panel);
    panel.onDidDispose(() => {
      if (panels.get(key) === panel) panels.delete(key);
    });
  }

  /** Called for a panel that was open before a reload. One that has nothing to show any more is closed. */
  async restore(name: RunPanelName, panel: vscode.WebviewPanel, memory: unknown): Promise<void> {
    try {
      await this.#restore(name, panel, memory);
    } catch (error) {
      this.#ctx.log.debug(`a panel that cannot be restored was closed: ${String(error)}`);
      panel.dispose();
    }
  }

  async #restore(name: RunPanelName, panel: vscode.WebviewPanel, memory: unknown): Promise<void> {
    if (name === 'item') {
      const { run, item } = ItemPanelMemory.parse(memory);
      return await this.#addItem(panel).show(run, item);
    }
    if (name === 'compare') {
      const { a, b } = ComparePanelMemory.parse(memory);
      return await this.#addComparison(panel, a, b).show(a, b);
    }
    const run = z.string().parse(runOfTitle(panel.title));
    this.#addReport(panel, run);
    await showReport(this.#store, panel, run);
  }
}
