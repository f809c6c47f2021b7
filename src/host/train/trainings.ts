import * as vscode from 'vscode';
import { isActive } from '../../core/training/words.ts';
import { type FoundRun, type FoundRuns, isRunFolder, readRuns, runFoldersIn } from '../../runtime/trainer/find-runs.ts';
import type { RunSnapshot } from '../../runtime/trainer/run-reader.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { rememberedRuns, rememberRun, trainingFolders } from './folders.ts';
import { TrainingPanels } from './panels.ts';
import { TrainingStatusBar } from './status-bar.ts';
import { tellEnd } from './tell-end.ts';

/** Pause between two looks at runs that go on, in milliseconds. */
const LIVE_MS = 2000;
/** Files that come together are looked at once. */
const QUIET_MS = 200;

/** The training runs that a window knows: those in its folders, and those that were opened in it. */
export class Trainings extends Disposable {
  readonly panels: TrainingPanels;
  readonly #ctx: Ctx;
  readonly #changed = this._register(new vscode.EventEmitter<void>());
  /** Fires where a run began, went on or ended. */
  readonly onDidChange = this.#changed.event;
  readonly #bar = this._register(new TrainingStatusBar());
  #watchers: vscode.Disposable[] = [];
  #timer: NodeJS.Timeout | undefined;
  #live: readonly FoundRun[] = [];
  #said = '';

  constructor(ctx: Ctx) {
    super();
    this.#ctx = ctx;
    this.panels = this._register(new TrainingPanels(ctx));
    this.#watch();
    const again = () => {
      this.#watch();
      this.refresh();
    };
    this._register(ctx.config.onDidChange((event) => event.affectsConfiguration('sqlAgent.training') && again()));
    this._register(vscode.workspace.onDidChangeWorkspaceFolders(again));
    this.refresh();
  }

  override dispose(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.dispose();
    super.dispose();
  }

  /** Runs that a trainer works on, as they were at the last look, the one that changed last first. */
  get live(): readonly RunSnapshot[] {
    return this.#live.map(({ snapshot }) => snapshot);
  }

  /** All runs, those that changed last first. */
  async list(): Promise<FoundRuns> {
    const inFolders = await Promise.all(trainingFolders(this.#ctx).map(runFoldersIn));
    const remembered = rememberedRuns(this.#ctx);
    const areThere = await Promise.all(remembered.map(isRunFolder));
    const opened = remembered.filter((_, index) => areThere[index]);
    return await readRuns([...new Set([...inFolders.flat(), ...opened])]);
  }

  /** Looks at all runs soon. */
  refresh(): void {
    this.#soon(QUIET_MS);
  }

  /** Takes a run in, wherever it lies. */
  async remember(folder: string): Promise<void> {
    await rememberRun(this.#ctx, folder);
    this.refresh();
  }

  #soon(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.isDisposed) this.#timer = setTimeout(() => void this.#look(), ms);
  }

  async #look(): Promise<void> {
    try {
      const { runs } = await this.list();
      this.#take(runs);
    } catch (error) {
      this.#ctx.log.error('the training runs cannot be read', error);
    }
    if (this.#live.length > 0) this.#soon(LIVE_MS);
  }

  #take(runs: readonly FoundRun[]): void {
    const before = new Set(this.live.map(({ folder }) => folder));
    this.#live = runs.filter(({ snapshot }) => isActive(snapshot.state));
    for (const { snapshot } of runs)
      if (before.has(snapshot.folder) && !isActive(snapshot.state)) void tellEnd(snapshot);
    this.#bar.show(this.live);
    const said = JSON.stringify(runs.map(({ snapshot: { folder, state, status } }) => [folder, state, status?.step]));
    if (said === this.#said) return;
    this.#said = said;
    void vscode.commands.executeCommand('setContext', 'sqlAgent.isTraining', this.#live.length > 0);
    this.#changed.fire();
  }

  /** A run that begins writes its settings, one that goes on its launch. */
  #watch(): void {
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = trainingFolders(this.#ctx).flatMap((folder) =>
      ['*', '*/{config,launch,status}.json'].map((pattern) => {
        const glob = new vscode.RelativePattern(vscode.Uri.file(folder), pattern);
        const watcher = vscode.workspace.createFileSystemWatcher(glob);
        const changed = () => this.#live.length === 0 && this.refresh();
        watcher.onDidCreate(changed);
        watcher.onDidChange(changed);
        watcher.onDidDelete(changed);
        return watcher;
      }),
    );
  }
}
