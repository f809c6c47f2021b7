import { basename } from 'node:path';
import * as vscode from 'vscode';
import {
  type DiagnosisPanelDown,
  type DiagnosisPanelState,
  type DiagnosisPanelUp,
  diagnosisChannel,
} from '../../protocol/diagnosis-panel.ts';
import { toWireError } from '../../protocol/errors.ts';
import { compareSides, runSide } from '../../runtime/evals/item-detail.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { SideRows } from '../runs/rows.ts';
import { answerSide, type SidePanel } from '../runs/side-messages.ts';
import type { WebviewChannel } from '../webview/channel.ts';
import { openWebview } from '../webview/open.ts';
import { LONGEST_MS, rowsBeside } from './item.ts';
import { DiagnosisPart } from './part.ts';

type Message = Exclude<DiagnosisPanelUp, { type: 'ready' }>;

/** Of queries that the user writes, the gold's ORDER BY says whether order counts. */
const ORDER_POLICY = 'gold_order_by';

/** The panel in which a query is looked into, alone or beside one that is right. */
export class DiagnosisPanel extends Disposable {
  readonly #ctx: Ctx;
  readonly #db: string;
  readonly #panel: vscode.WebviewPanel;
  readonly #channel: WebviewChannel<DiagnosisPanelUp, DiagnosisPanelDown>;
  readonly #rows = new SideRows();
  readonly #sides: SidePanel;
  readonly #diagnosis: DiagnosisPart;
  #state: DiagnosisPanelState;
  #running = new AbortController();

  /** @param db absolute path of the database */
  constructor(ctx: Ctx, db: string, panel: vscode.WebviewPanel) {
    super();
    this.#ctx = ctx;
    this.#db = db;
    this.#panel = panel;
    this.#state = {
      database: { name: basename(db), path: db },
      pred: null,
      gold: null,
      difference: null,
      problem: null,
    };
    this.#channel = this._register(
      openWebview(ctx, panel, 'diagnosis', diagnosisChannel, {
        onReady: () => {
          this.#set({});
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
      dataset: () => '',
      post: (message) => this.#channel.post(message),
      again: () => undefined,
    };
    this._register({ dispose: () => this.#running.abort() });
  }

  /** Shows the panel with a query in it, and looks into it where there is one. */
  async fill(pred: string, gold: string): Promise<void> {
    this.#channel.post({ type: 'fill', pred, gold });
    if (pred.trim() !== '') await this.check(pred, gold.trim() === '' ? null : gold);
  }

  reveal(): void {
    this.#panel.reveal();
  }

  /** Runs queries and looks into them. What was looked into before is forgotten. */
  async check(pred: string, gold: string | null): Promise<void> {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#rows.clear();
    this.#diagnosis.clear();
    this.#set({ pred: null, gold: null, difference: null, problem: null });
    try {
      await this.#check(pred, gold, signal);
    } catch (error) {
      this.#ctx.log.warn(`diagnosis of a query over ${this.#db}: ${toWireError(error).message}`);
      if (!signal.aborted) this.#set({ problem: toWireError(error) });
    }
  }

  async #check(pred: string, gold: string | null, signal: AbortSignal): Promise<void> {
    const { sandbox } = await this.#ctx.engine();
    const { timeoutMs } = this.#ctx.config.ask();
    const run = (sql: string) => runSide(sandbox, this.#db, sql, { timeoutMs, orderPolicy: ORDER_POLICY, signal });
    const [predResult, goldResult] = await Promise.all([run(pred), gold === null ? null : run(gold)]);
    if (signal.aborted) return;
    const both = gold === null || goldResult === null ? null : { gold, result: goldResult };
    const compared = both === null ? null : compareSides(both.gold, both.result, predResult, ORDER_POLICY);
    this.#set({
      pred: this.#rows.side(pred, predResult, compared?.marks?.pred ?? null),
      gold: both === null ? null : this.#rows.side(both.gold, both.result, compared?.marks?.gold ?? null),
      difference: compared?.difference ?? null,
    });
    const rows = both === null ? null : rowsBeside(both.gold, both.result, predResult, ORDER_POLICY);
    await this.#diagnosis.begin({ db: this.#db, gold, pred, timeoutMs: Math.min(timeoutMs, LONGEST_MS), rows });
  }

  #set(changed: Partial<DiagnosisPanelState>): void {
    this.#state = { ...this.#state, ...changed };
    // A view that is not ready is told everything once it is.
    if (this.#channel.isReady) this.#channel.post({ type: 'state', state: this.#state });
  }

  async #receive(message: Message): Promise<void> {
    try {
      await this.#answer(message);
    } catch (error) {
      this.#ctx.log.error(`diagnosis panel, ${message.type}`, error);
    }
  }

  async #answer(message: Message): Promise<void> {
    switch (message.type) {
      case 'check':
        return await this.check(message.pred, message.gold);
      case 'openDatabase':
        await vscode.commands.executeCommand('sqlAgent.openDatabase', vscode.Uri.file(this.#db));
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
}
