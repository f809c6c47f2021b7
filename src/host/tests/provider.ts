import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { signalOf } from '../models/try-model.ts';
import type { Choice } from './choose.ts';
import { findSuites, SUITE_GLOB, type SuiteSource } from './find.ts';
import { recallResults } from './recall.ts';
import { runRequest } from './run.ts';
import { Suite, type SuiteWorld, type TestNode } from './suite.ts';

/** Files that come together are looked at once. */
const QUIET_MS = 300;

/** The questions of the workspace as VS Code's tests: suite, database, question. Each level is made when it is opened or run. */
export class EvalTests extends Disposable {
  readonly #ctx: Ctx;
  readonly #controller: vscode.TestController;
  readonly #world: SuiteWorld;
  readonly #suites = new Map<string, Suite>();
  readonly #recalled = new WeakMap<Suite, Promise<void>>();
  readonly #ending = new AbortController();
  #found: Promise<void> | null = null;
  #running = 0;
  /** Files that changed since the tree was brought up to date. */
  readonly #changed = new Set<string>();
  /** Something changed while questions ran: the tree is not touched meanwhile. */
  #isStale = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(ctx: Ctx, controller: vscode.TestController) {
    super();
    this.#ctx = ctx;
    this.#controller = controller;
    const tags = new Map<string, vscode.TestTag>();
    const tag = (id: string) => {
      const known = tags.get(id) ?? new vscode.TestTag(id);
      tags.set(id, known);
      return known;
    };
    this.#world = { controller, nodes: new WeakMap<vscode.TestItem, TestNode>(), tag };
    this._register({ dispose: () => clearTimeout(this.#timer) });
    // Children that still run end with the extension.
    this._register({ dispose: () => this.#ending.abort() });
    this.#watch();
  }

  #watch(): void {
    const watcher = this._register(vscode.workspace.createFileSystemWatcher(SUITE_GLOB));
    for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete])
      this._register(event((uri) => this.changed(uri)));
    // Datasets that the settings name may have any name.
    this._register(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#suites.has(uri.fsPath) && this.changed(uri)),
    );
    this._register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#soon()));
    this._register(
      this.#ctx.config.onDidChange((event) => event.affectsConfiguration('sqlAgent.evals') && this.#soon()),
    );
  }

  /** A file with questions came, changed or went. */
  changed(uri: vscode.Uri): void {
    this.#changed.add(uri.fsPath);
    this.#soon();
  }

  /** A file that this extension wrote: it is shown at once, unless questions run. */
  written(uri: vscode.Uri): void {
    this.#changed.add(uri.fsPath);
    void this.update();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.update(), QUIET_MS);
  }

  /** Looks for suites again, and reads those again that changed, once nothing runs. */
  async update(): Promise<void> {
    if (this.#found === null) return;
    this.#isStale = this.#running > 0;
    if (this.#isStale) return;
    clearTimeout(this.#timer);
    const changed = [...this.#changed];
    this.#changed.clear();
    await this.#find();
    for (const path of changed) await this.#quietly(path, async (suite) => suite.reload());
  }

  /** The suites that there are; those that stay keep their lines. */
  async #find(token?: vscode.CancellationToken): Promise<void> {
    const sources = await findSuites(this.#ctx, token);
    const paths = new Set(sources.map(({ uri }) => uri.fsPath));
    for (const path of this.#suites.keys()) if (!paths.has(path)) this.#suites.delete(path);
    for (const source of sources) this.#suites.set(source.uri.fsPath, this.#suiteOf(source));
    this.#controller.items.replace([...this.#suites.values()].map(({ item }) => item));
  }

  #suiteOf(source: SuiteSource): Suite {
    const known = this.#suites.get(source.uri.fsPath);
    return known?.source.databases === source.databases ? known : new Suite(this.#world, source);
  }

  /** The suites, looked for on first use. */
  async suites(): Promise<Suite[]> {
    this.#found ??= this.#find();
    await this.#found;
    return [...this.#suites.values()];
  }

  nodeOf(item: vscode.TestItem): TestNode | undefined {
    return this.#world.nodes.get(item);
  }

  /** Makes the lines below one that is opened; without one, the suites. Why there are none stands in the tree. */
  async resolve(item: vscode.TestItem | undefined): Promise<void> {
    const node = item && this.nodeOf(item);
    if (!node) {
      await this.suites();
    } else if (node.kind === 'suite') {
      await this.#quietly(node.suite.item.id, async (suite) => {
        await suite.showDatabases();
        void this.recall(suite);
      });
    } else if (node.kind === 'database') node.suite.showQuestions(node.key);
  }

  /** Makes the lines of a file that is open in an editor, which then has buttons beside them. */
  async showFile(uri: vscode.Uri): Promise<void> {
    await this.suites();
    await this.#quietly(uri.fsPath, async (suite) => {
      await suite.showAll();
      void this.recall(suite);
    });
  }

  /** "Refresh Tests": everything is read again, results of other windows and of the command line too. */
  async refresh(): Promise<void> {
    for (const suite of await this.suites()) {
      this.#changed.add(suite.source.uri.fsPath);
      this.#recalled.delete(suite);
      suite.forgetResults();
    }
    await this.update();
    for (const suite of this.#suites.values()) if (suite.isShown) await this.recall(suite);
  }

  /** Shows, once, what the ledger knows of a suite's questions. */
  async recall(suite: Suite): Promise<void> {
    const known = this.#recalled.get(suite) ?? this.#readResults(suite);
    this.#recalled.set(suite, known);
    await known;
  }

  async #readResults(suite: Suite): Promise<void> {
    try {
      await recallResults(this.#ctx, this.#controller, suite);
    } catch (error) {
      this.#ctx.log.warn(`results of ${suite.source.uri.fsPath} cannot be shown: ${String(error)}`);
    }
  }

  /** Works on a suite; what hinders it stands below the suite already. */
  async #quietly(path: string, work: (suite: Suite) => Promise<void>): Promise<void> {
    const suite = this.#suites.get(path);
    if (!suite) return;
    try {
      await work(suite);
    } catch (error) {
      this.#ctx.log.warn(`${path} cannot be shown among the tests: ${String(error)}`);
    }
  }

  /** Runs what the user chose. Ends when it has ended; what failed is shown. */
  async run(choice: Choice, request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    this.#running += 1;
    try {
      await runRequest({ ctx: this.#ctx, controller: this.#controller, tests: this }, choice, request, [
        signalOf(token),
        this.#ending.signal,
      ]);
    } finally {
      this.#running -= 1;
      if (this.#isStale) this.#soon();
    }
  }
}
