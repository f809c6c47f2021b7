import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import type { RunEntry } from './entry.ts';
import { LiveEvals } from './live.ts';
import { RunPanels } from './panels.ts';
import { resultsFolders } from './results-folders.ts';
import { type RunList, RunStore } from './store.ts';

/** The runs of a window: those on disk, and those that it runs itself. */
export class Runs extends Disposable {
  readonly store: RunStore;
  readonly lives: LiveEvals;
  readonly panels: RunPanels;
  readonly #changed = this._register(new vscode.EventEmitter<RunEntry | null>());
  /** Fires with the run that changed, with null where any may have. */
  readonly onDidChange = this.#changed.event;

  constructor(ctx: Ctx) {
    super();
    this.store = new RunStore({ folders: () => resultsFolders(ctx), log: ctx.log });
    this.lives = this._register(new LiveEvals(ctx));
    this.panels = this._register(new RunPanels(ctx, this.store));
    this._register(this.lives.onDidChange((run) => this.#changed.fire(run)));
  }

  /** Says that files may have changed. */
  refresh(): void {
    this.#changed.fire(null);
  }

  /** All runs, in no order: one that is at work is told as this window knows it. */
  async list(): Promise<RunList> {
    const { runs, problems } = await this.store.list();
    const live = this.lives.running.flatMap(({ entry }) => (entry?.state === 'running' ? [entry] : []));
    const ids = new Set(live.map(({ id }) => id));
    return { runs: [...live, ...runs.filter(({ id }) => !ids.has(id))], problems };
  }
}
