import * as vscode from 'vscode';
import { toWireError } from '../../protocol/errors.ts';
import { type ItemDown, type ItemPanelState, type ItemUp, itemChannel } from '../../protocol/item-panel.ts';
import { itemDetail } from '../../runtime/evals/item-detail.ts';
import type { Ctx } from '../ctx.ts';
import { taskOfItem } from '../diagnosis/item.ts';
import { DiagnosisPart } from '../diagnosis/part.ts';
import { Disposable } from '../disposable.ts';
import type { WebviewChannel } from '../webview/channel.ts';
import { openWebview } from '../webview/open.ts';
import { databaseOfItem } from './databases.ts';
import { itemGone } from './errors.ts';
import { beforeRows, withDatabase, withProblem, withRows } from './item-state.ts';
import { SideRows } from './rows.ts';
import { answerSide, type SidePanel } from './side-messages.ts';
import type { RunStore } from './store.ts';

/** The panel of one item of a run: its queries run again when it is shown. */
export class ItemPanel extends Disposable {
  readonly #ctx: Ctx;
  readonly #store: RunStore;
  readonly #panel: vscode.WebviewPanel;
  readonly #channel: WebviewChannel<ItemUp, ItemDown>;
  readonly #rows = new SideRows();
  readonly #sides: SidePanel;
  readonly #diagnosis: DiagnosisPart;
  #state: ItemPanelState | null = null;
  #running = new AbortController();

  constructor(ctx: Ctx, store: RunStore, panel: vscode.WebviewPanel) {
    super();
    this.#ctx = ctx;
    this.#store = store;
    this.#panel = panel;
    this.#channel = this._register(
      openWebview(ctx, panel, 'item', itemChannel, {
        onReady: () => {
          this.#postState();
          this.#diagnosis.post();
        },
        onMessage: (message) => void this.#receive(message),
      }),
    );
    this.#diagnosis = this._register(new DiagnosisPart(ctx, panel, this.#channel));
    this.#sides = {
      ctx,
      panel,
      rows: this.#rows,
      dataset: () => this.#state?.run.dataset ?? '',
      post: (message) => this.#channel.post(message),
      again: () => void this.#showAgain(),
    };
    this._register({ dispose: () => this.#running.abort() });
  }

  /** Shows an item. @throws AppError `run_gone`, `item_gone` */
  async show(runId: string, itemId: string): Promise<void> {
    const run = await this.#store.find(runId);
    const [records, file] = [await this.#store.records(run), await this.#store.fileOf(run)];
    const record = records.find(({ id }) => id === itemId);
    if (!record) throw itemGone(runId, itemId);
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#rows.clear();
    this.#diagnosis.clear();
    this.#panel.title = `${record.db_id} · ${itemId}`;
    this.#set(beforeRows(run, record, records));
    try {
      const path = await databaseOfItem(this.#ctx, run, file, record);
      if (signal.aborted || this.#state === null) return;
      this.#set(withDatabase(this.#state, path));
      const { orderPolicy } = run.config.score;
      const options = { timeoutMs: this.#ctx.config.ask().timeoutMs, orderPolicy, signal };
      const detail = await itemDetail(await this.#ctx.engine(), record, path, options);
      if (signal.aborted) return;
      this.#set(withRows(this.#state, detail, this.#rows));
      const task = taskOfItem(record, path, detail, options);
      if (task !== null) void this.#diagnosis.begin(task);
    } catch (error) {
      this.#ctx.log.warn(`item ${itemId} of ${runId}: ${toWireError(error).message}`);
      if (!signal.aborted && this.#state !== null) this.#set(withProblem(this.#state, toWireError(error)));
    }
  }

  #set(state: ItemPanelState): void {
    this.#state = state;
    this.#postState();
  }

  #postState(): void {
    // A view that is not ready is told everything once it is.
    if (this.#state === null || !this.#channel.isReady) return;
    this.#channel.post({ type: 'state', state: this.#state });
  }

  async #showAgain(): Promise<void> {
    const { run, record } = this.#state ?? {};
    if (run && record) await this.show(run.id, record.id);
  }

  async #receive(message: Exclude<ItemUp, { type: 'ready' }>): Promise<void> {
    try {
      await this.#answer(message);
    } catch (error) {
      this.#ctx.log.error(`item panel, ${message.type}`, error);
    }
  }

  async #answer(message: Exclude<ItemUp, { type: 'ready' }>): Promise<void> {
    const state = this.#state;
    switch (message.type) {
      case 'go':
        if (state !== null) await this.show(state.run.id, message.item);
        return;
      case 'askAgain':
        if (state?.database) this.#askAgain(state, state.database.path);
        return;
      case 'openDatabase':
        if (state?.database)
          await vscode.commands.executeCommand('sqlAgent.openDatabase', vscode.Uri.file(state.database.path));
        return;
      case 'diagnose':
      case 'stopDiagnosis':
      case 'smallestRows':
      case 'debug':
        return await this.#diagnosis.answer(message);
      default:
        await answerSide(this.#sides, message);
    }
  }

  #askAgain({ record }: ItemPanelState, db: string): void {
    this.#ctx.openAsk.fire({ db, question: record.question, evidence: record.evidence });
  }
}
