import { basename, dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { groupBy } from '../../core/evals/report/group.ts';
import { countOf } from '../../core/signals/describe.ts';
import { type Item, SUITE_ENDING } from '../../protocol/dataset.ts';
import { toWireError } from '../../protocol/errors.ts';
import type { Dataset } from '../../runtime/evals/load-dataset.ts';
import type { SuiteSource } from './find.ts';
import { databaseKey, describeItem, type LastResult, labelOf, tagsOf } from './state.ts';

/** What a line of the Test Explorer stands for. */
export type TestNode =
  | { kind: 'suite'; suite: Suite }
  | { kind: 'database'; suite: Suite; key: string }
  | { kind: 'question'; suite: Suite; id: string };

/** What the suites of a window share. */
export interface SuiteWorld {
  controller: vscode.TestController;
  /** What the lines of the Test Explorer stand for. */
  nodes: WeakMap<vscode.TestItem, TestNode>;
  /** Tags, made once each: VS Code compares them. */
  tag(id: string): vscode.TestTag;
}

/** One file with questions: its lines in the Test Explorer, made when they are opened or run, and what came of them last. */
export class Suite {
  readonly source: SuiteSource;
  readonly item: vscode.TestItem;
  readonly #world: SuiteWorld;
  readonly #last = new Map<string, LastResult>();
  readonly #questions = new Map<string, vscode.TestItem>();
  /** Of the file, as people know it; '' for the workspace folder itself. */
  readonly #folder: string;
  #dataset: Promise<Dataset> | null = null;
  #reads = 0;
  #byId = new Map<string, Item>();
  #groups = new Map<string, Item[]>();
  #shown = new Set<string>();

  constructor(world: SuiteWorld, source: SuiteSource) {
    this.source = source;
    this.#world = world;
    const { uri } = source;
    const name = basename(uri.fsPath);
    const label = name.endsWith(SUITE_ENDING) ? name.slice(0, -SUITE_ENDING.length) : name;
    this.item = world.controller.createTestItem(uri.fsPath, label, uri);
    this.item.canResolveChildren = true;
    const folder = vscode.workspace.asRelativePath(dirname(uri.fsPath));
    this.#folder = folder === source.folder.uri.fsPath ? '' : folder;
    this.item.description = this.#folder;
    world.nodes.set(this.item, { kind: 'suite', suite: this });
  }

  /** The dataset without the items of sealed splits, read on first use. Why it cannot be read stands below the suite. @throws AppError of `loadDataset` */
  load(): Promise<Dataset> {
    this.#dataset ??= this.#read();
    return this.#dataset;
  }

  async #read(): Promise<Dataset> {
    this.#reads += 1;
    const number = this.#reads;
    const { loadDataset } = await import('../../runtime/evals/load-dataset.ts');
    const { unsealedItems } = await import('../../runtime/evals/choose-items.ts');
    try {
      const dataset = await loadDataset(this.source.uri.fsPath);
      const { items, notes } = await unsealedItems(dataset);
      if (number === this.#reads) this.#tellRead(null, notes);
      return { ...dataset, items };
    } catch (error) {
      // A file that was read again meanwhile is as the later reading found it.
      if (number === this.#reads) {
        this.#dataset = null;
        this.#take([]);
        this.#tellRead(this.#inTree(error), []);
      }
      throw error;
    }
  }

  /** Why the file cannot be used, for the narrow tree: its faults come first, and its path is known there. */
  #inTree(error: unknown): string {
    const { fsPath } = this.source.uri;
    const [head = '', ...faults] = toWireError(error).message.replaceAll(fsPath, basename(fsPath)).split('\n');
    return [...faults.map((fault) => fault.trim()), head].join('\n');
  }

  #tellRead(problem: string | null, notes: readonly string[]): void {
    this.item.error = problem ?? undefined;
    this.item.description = [this.#folder, ...notes].filter((part) => part !== '').join(' · ');
  }

  /** Makes the lines of the databases. */
  async showDatabases(): Promise<void> {
    const dataset = await this.load();
    this.#take(dataset.items);
    const absent = await this.#absentDatabases(dataset);
    for (const [key, line] of this.item.children) {
      line.error = absent.get(key);
      // VS Code asks for nothing below a line with an error.
      if (line.error !== undefined) this.showQuestions(key);
    }
  }

  /** Makes the lines of a database's questions. */
  showQuestions(key: string): void {
    const parent = this.item.children.get(key);
    if (!parent) return;
    this.#shown.add(key);
    const items = this.#groups.get(key) ?? [];
    parent.children.replace(items.map((item, index) => this.#question(item, index)));
  }

  /** Makes every line. */
  async showAll(): Promise<void> {
    await this.showDatabases();
    for (const key of this.#groups.keys()) {
      if (this.#shown.has(key)) continue;
      this.showQuestions(key);
      // Thousands of lines are sent to the window: it gets them one database after the other.
      await setImmediate();
    }
  }

  /** Reads the file again: lines that are still there keep their state. */
  async reload(): Promise<void> {
    const wasShown = this.#groups.size > 0 || this.item.error !== undefined;
    this.#dataset = null;
    if (!wasShown) return;
    await this.showDatabases();
    for (const key of this.#shown) this.showQuestions(key);
  }

  /** True once the lines of its databases were made. */
  get isShown(): boolean {
    return this.#groups.size > 0;
  }

  /** The items of a line: all, those of a database, one. */
  itemsOf(node: TestNode): Item[] {
    if (node.kind === 'suite') return [...this.#byId.values()];
    if (node.kind === 'database') return this.#groups.get(node.key) ?? [];
    const item = this.#byId.get(node.id);
    return item ? [item] : [];
  }

  /** The line of a question, made where it is not there yet; undefined where the dataset has no such question. */
  lineOf(id: string): vscode.TestItem | undefined {
    const known = this.#questions.get(id);
    if (known) return known;
    const item = this.#byId.get(id);
    if (!item) return undefined;
    this.showQuestions(databaseKey(item));
    return this.#questions.get(id);
  }

  itemOf(id: string): Item | undefined {
    return this.#byId.get(id);
  }

  lastOf(id: string): LastResult | undefined {
    return this.#last.get(id);
  }

  /** Forgets what came of all questions, so that it can be looked up anew. */
  forgetResults(): void {
    this.#last.clear();
  }

  /** Keeps what came of a question, and shows it behind the question. */
  setLast(id: string, last: LastResult): void {
    this.#last.set(id, last);
    const line = this.#questions.get(id);
    const item = this.#byId.get(id);
    if (line && item) this.#describe(line, item);
  }

  #describe(line: vscode.TestItem, item: Item): void {
    const last = this.#last.get(item.id);
    line.description = describeItem(item, last);
    line.tags = tagsOf(item, last).map((tag) => this.#world.tag(tag));
  }

  #question(item: Item, index: number): vscode.TestItem {
    const label = labelOf(item);
    const line = this.#questions.get(item.id) ?? this.#newQuestion(item.id, label);
    line.label = label;
    line.range = new vscode.Range(item.line - 1, 0, item.line - 1, 0);
    line.sortText = String(index).padStart(7, '0');
    this.#describe(line, item);
    return line;
  }

  #newQuestion(id: string, label: string): vscode.TestItem {
    const line = this.#world.controller.createTestItem(id, label, this.source.uri);
    this.#world.nodes.set(line, { kind: 'question', suite: this, id });
    this.#questions.set(id, line);
    return line;
  }

  /** Takes the items of the file as it is now: forgets what is gone, and what came of questions that changed. */
  #take(items: readonly Item[]): void {
    const byId = new Map(items.map((item) => [item.id, item]));
    for (const [id, before] of this.#byId) {
      const now = byId.get(id);
      if (now?.question !== before.question || now.gold !== before.gold) this.#last.delete(id);
      // A line cannot be moved to another database.
      if (now === undefined || databaseKey(now) !== databaseKey(before)) this.#questions.delete(id);
    }
    this.#byId = byId;
    this.#groups = groupBy(items, databaseKey);
    this.#shown = new Set([...this.#shown].filter((key) => this.#groups.has(key)));
    this.item.children.replace([...this.#groups].map(([key, group], index) => this.#database(key, group, index)));
  }

  #database(key: string, items: readonly Item[], index: number): vscode.TestItem {
    const line = this.item.children.get(key) ?? this.#world.controller.createTestItem(key, key, this.source.uri);
    line.canResolveChildren = true;
    line.description = countOf(items.length, 'question');
    line.sortText = String(index).padStart(7, '0');
    this.#world.nodes.set(line, { kind: 'database', suite: this, key });
    return line;
  }

  async #absentDatabases(dataset: Dataset): Promise<Map<string, string>> {
    const { locateDatabases } = await import('../../runtime/evals/databases.ts');
    try {
      const { absent } = await locateDatabases(dataset.items, { dataset, root: this.source.databases, suite: false });
      const pathOf = (path: string | undefined) => (path === undefined ? null : vscode.workspace.asRelativePath(path));
      return new Map(
        absent.map(({ name, lookedFor }) => [name, `There is no database ${pathOf(lookedFor[0]) ?? name}.`]),
      );
    } catch (error) {
      // The folder that the settings name is none.
      this.item.error = toWireError(error).message;
      return new Map();
    }
  }
}
