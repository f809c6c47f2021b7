import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { PANELS, VIEWS } from '../ids.ts';
import type { RunNode } from './nodes.ts';
import type { RunsProvider } from './provider.ts';
import { resultsFolders } from './results-folders.ts';

/** Files that come together refresh the view once. */
const QUIET_MS = 200;

/** The Runs view's lines, loaded with the first that is seen. */
class LazyProvider implements vscode.TreeDataProvider<RunNode> {
  readonly #load: () => Promise<RunsProvider>;
  readonly onDidChangeTreeData: vscode.Event<RunNode | undefined>;

  constructor(load: () => Promise<RunsProvider>, changed: vscode.Event<RunNode | undefined>) {
    this.#load = load;
    this.onDidChangeTreeData = changed;
  }

  async getChildren(node?: RunNode): Promise<RunNode[]> {
    return await (await this.#load()).getChildren(node);
  }

  async getTreeItem(node: RunNode): Promise<vscode.TreeItem> {
    return (await this.#load()).getTreeItem(node);
  }
}

/** Registers the Runs view and what brings its panels back after a reload. Ledgers are read, and watched, once it is shown. */
export function registerRuns(ctx: Ctx): void {
  const changed = ctx.own(new vscode.EventEmitter<RunNode | undefined>());
  let loading: Promise<RunsProvider> | null = null;
  const load = () => {
    loading ??= import('./provider.ts').then(async ({ RunsProvider }) => {
      const [runs, trainings] = await Promise.all([ctx.runs(), ctx.trainings()]);
      return ctx.own(new RunsProvider(ctx, runs, trainings, (node) => changed.fire(node)));
    });
    return loading;
  };
  const treeDataProvider = new LazyProvider(load, changed.event);
  const view = ctx.own(vscode.window.createTreeView(VIEWS.runs, { treeDataProvider, showCollapseAll: true }));
  const watching = ctx.own(new ResultsWatcher(ctx, () => changed.fire(undefined)));
  ctx.own(ctx.refreshRuns.event(() => changed.fire(undefined)));
  ctx.own(view.onDidChangeVisibility(({ visible }) => visible && watching.begin()));
  if (view.visible) watching.begin();
  registerSerializers(ctx);
}

function registerSerializers(ctx: Ctx): void {
  const load = async () => (await ctx.runs()).panels;
  for (const name of ['item', 'compare', 'report'] as const)
    ctx.own(
      vscode.window.registerWebviewPanelSerializer(PANELS[name], {
        deserializeWebviewPanel: async (panel, memory) => (await load()).restore(name, panel, memory),
      }),
    );
}

/**
 * The ledger and the folders of runs. What is written into a folder in the moment in which it was made may go unseen, so
 * the folder itself is watched for too.
 */
const WATCHED = ['*', '*/run.json'];

/** Watches the ledgers and the runs that begin beside them. */
class ResultsWatcher {
  readonly #ctx: Ctx;
  readonly #onChange: () => void;
  #watchers: vscode.Disposable[] = [];
  #timer: NodeJS.Timeout | undefined;
  #begun = false;

  constructor(ctx: Ctx, onChange: () => void) {
    this.#ctx = ctx;
    this.#onChange = onChange;
  }

  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#watch();
    const again = () => {
      this.#watch();
      this.#soon();
    };
    this.#ctx.own(this.#ctx.config.onDidChange((event) => event.affectsConfiguration('sqlAgent.evals') && again()));
    this.#ctx.own(vscode.workspace.onDidChangeWorkspaceFolders(again));
  }

  #watch(): void {
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = resultsFolders(this.#ctx).flatMap((folder) =>
      WATCHED.map((pattern) => {
        const glob = new vscode.RelativePattern(vscode.Uri.file(folder), pattern);
        const watcher = vscode.workspace.createFileSystemWatcher(glob);
        watcher.onDidCreate(() => this.#soon());
        watcher.onDidChange(() => this.#soon());
        watcher.onDidDelete(() => this.#soon());
        return watcher;
      }),
    );
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onChange(), QUIET_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.dispose();
  }
}
