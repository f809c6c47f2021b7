import * as vscode from 'vscode';
import { compareRuns } from '../../core/evals/compare.ts';
import { compareDocument } from '../../core/evals/compare-document.ts';
import { toMarkdown } from '../../core/evals/report/markdown.ts';
import type { Comparison, Flip } from '../../protocol/compare.ts';
import { type CompareDown, type CompareUp, compareChannel } from '../../protocol/compare-panel.ts';
import { toWireError } from '../../protocol/errors.ts';
import { runSide } from '../../runtime/evals/item-detail.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { reportError } from '../report.ts';
import type { WebviewChannel } from '../webview/channel.ts';
import { openWebview } from '../webview/open.ts';
import { ranFlip, unrunFlip } from './compare-state.ts';
import { databaseOfItem } from './databases.ts';
import { SideRows } from './rows.ts';
import { answerSide, type SidePanel } from './side-messages.ts';
import type { RunStore } from './store.ts';

type Message = Exclude<CompareUp, { type: 'ready' }>;

/** Flips that Markdown shows of each list, as on the command line. */
const FLIPS = 20;

/** The view of two runs compared. */
export class ComparePanel extends Disposable {
  readonly #ctx: Ctx;
  readonly #store: RunStore;
  readonly #panel: vscode.WebviewPanel;
  readonly #channel: WebviewChannel<CompareUp, CompareDown>;
  readonly #rows = new SideRows();
  readonly #sides: SidePanel;
  #comparison: Comparison | null = null;
  #flip: string | null = null;
  #running = new AbortController();

  constructor(ctx: Ctx, store: RunStore, panel: vscode.WebviewPanel) {
    super();
    this.#ctx = ctx;
    this.#store = store;
    this.#panel = panel;
    this.#channel = this._register(
      openWebview(ctx, panel, 'compare', compareChannel, {
        onReady: () => this.#postComparison(),
        onMessage: (message) => void this.#receive(message),
      }),
    );
    this.#sides = {
      ctx,
      panel,
      rows: this.#rows,
      dataset: () => this.#comparison?.a.dataset ?? '',
      post: (message) => this.#channel.post(message),
      again: () => void (this.#flip !== null && this.#open(this.#flip)),
    };
    this._register({ dispose: () => this.#running.abort() });
  }

  /** Compares two runs and shows what came of it. @throws AppError of `loadRun` and `compareRuns` */
  async show(before: string, after: string): Promise<void> {
    const [a, b] = await Promise.all([this.#store.load(before), this.#store.load(after)]);
    const compared = compareRuns(a, b);
    const warnings = [...new Set([...a.notes, ...b.notes])];
    this.#comparison = { ...compared, notes: [...warnings, ...compared.notes] };
    this.#panel.title = `${compared.a.model} → ${compared.b.model}`;
    this.#postComparison();
  }

  #postComparison(): void {
    // A view that is not ready is told everything once it is.
    if (this.#comparison !== null && this.#channel.isReady)
      this.#channel.post({ type: 'comparison', comparison: this.#comparison });
  }

  async #receive(message: Message): Promise<void> {
    try {
      await this.#answer(message);
    } catch (error) {
      reportError(this.#ctx, 'Compare Runs', error);
    }
  }

  async #answer(message: Message): Promise<void> {
    const comparison = this.#comparison;
    switch (message.type) {
      case 'flip':
        return await this.#open(message.item);
      case 'openItem':
        if (comparison !== null)
          await vscode.commands.executeCommand('sqlAgent.openRunItem', comparison[message.run].run_id, message.item);
        return;
      case 'swap':
        if (comparison !== null) await this.show(comparison.b.run_id, comparison.a.run_id);
        return;
      case 'copyMarkdown':
        return await this.#copyMarkdown();
      default:
        await answerSide(this.#sides, message);
    }
  }

  async #copyMarkdown(): Promise<void> {
    if (this.#comparison === null) return;
    await vscode.env.clipboard.writeText(toMarkdown(compareDocument(this.#comparison, { flips: FLIPS })));
    this.#channel.post({ type: 'done', text: 'Copied the comparison as Markdown.' });
  }

  /** Runs the queries of a flip and shows their rows; one that is opened meanwhile takes its place. */
  async #open(item: string): Promise<void> {
    const comparison = this.#comparison;
    const flip = [...(comparison?.gained ?? []), ...(comparison?.lost ?? [])].find(({ id }) => id === item);
    if (comparison === null || flip === undefined) return;
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#flip = item;
    this.#rows.clear();
    try {
      const detail = await this.#run(comparison, flip, signal);
      if (!signal.aborted) this.#channel.post({ type: 'flip', flip: detail });
    } catch (error) {
      const problem = toWireError(error);
      this.#ctx.log.warn(`item ${item}: ${problem.message}`);
      if (!signal.aborted) this.#channel.post({ type: 'flip', flip: unrunFlip(flip, null, problem) });
    }
  }

  async #run(comparison: Comparison, flip: Flip, signal: AbortSignal) {
    const run = await this.#store.find(comparison.a.run_id);
    const db = await databaseOfItem(this.#ctx, run, await this.#store.fileOf(run), flip);
    const { sandbox } = await this.#ctx.engine();
    const { orderPolicy } = run.config.score;
    const options = { timeoutMs: this.#ctx.config.ask().timeoutMs, orderPolicy, signal };
    const ran = async (sql: string | null) => (sql === null ? null : await runSide(sandbox, db, sql, options));
    const [gold, a, b] = await Promise.all([
      runSide(sandbox, db, flip.gold, options),
      ran(flip.a.sql),
      ran(flip.b.sql),
    ]);
    const wrong = comparison.gained.includes(flip) ? 'a' : 'b';
    return ranFlip(flip, db, { gold, a, b }, { wrong, orderPolicy, rows: this.#rows });
  }
}
