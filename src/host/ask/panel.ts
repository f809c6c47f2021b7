import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { ModelInfo } from '../../protocol/ask.ts';
import { type AskDown, type AskPanelState, type AskUp, askChannel } from '../../protocol/ask-panel.ts';
import { toWireError, type WireError } from '../../protocol/errors.ts';
import type { Ctx } from '../ctx.ts';
import { folderForPeople } from '../database/state.ts';
import { Disposable } from '../disposable.ts';
import { isSilent } from '../errors.ts';
import { reportError } from '../report.ts';
import type { WebviewChannel } from '../webview/channel.ts';
import { openWebview } from '../webview/open.ts';
import { cutCell } from './cut.ts';
import { pageGone } from './errors.ts';
import { tableText } from './export.ts';
import type { AskHistory } from './history.ts';
import { Poster } from './poster.ts';
import type { RecordFolder } from './record.ts';
import { AskSession } from './session.ts';
import { type AskAction, type AskState, runAt } from './state.ts';

type Message = Exclude<AskUp, { type: 'ready' }>;

/** What a panel is made of. */
export interface AskPanelParts {
  /** Names the panel's record. */
  id: string;
  /** Absolute path of the database. */
  db: string;
  panel: vscode.WebviewPanel;
  history: AskHistory;
  records: RecordFolder;
  /** As it was before a reload; null: a new panel. */
  state: AskState | null;
}

/** The ask panel of one database. */
export class AskPanel extends Disposable {
  readonly #ctx: Ctx;
  readonly #parts: AskPanelParts;
  readonly #channel: WebviewChannel<AskUp, AskDown>;
  readonly #session: AskSession;
  readonly #poster: Poster;
  #model: ModelInfo | null = null;
  #modelProblem: WireError | null = null;

  constructor(ctx: Ctx, parts: AskPanelParts) {
    super();
    this.#ctx = ctx;
    this.#parts = parts;
    this.#session = this.#makeSession();
    this._register(this.#session);
    this.#poster = this._register(
      new Poster({
        state: () => this.#postState(),
        token: (run, turn, text) => {
          if (this.#channel.isReady) this.#channel.post({ type: 'token', run, turn, text });
        },
      }),
    );
    this.#channel = this._register(
      openWebview(ctx, parts.panel, 'ask', askChannel, {
        onReady: () => {
          this.#postState();
          void this.#lookUpModel();
        },
        onMessage: (message) => void this.#receive(message),
      }),
    );
    this._register(ctx.config.onDidChange(() => void this.#lookUpModel()));
    this._register(vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#lookUpModel()));
  }

  /** Shows the panel, with a question in its box where one is given. */
  reveal(question: string | null, evidence: string): void {
    this.#parts.panel.reveal();
    if (question !== null) this.#channel.post({ type: 'compose', question, evidence });
  }

  #makeSession(): AskSession {
    const ctx = this.#ctx;
    const needs = {
      db: this.#parts.db,
      provider: () => ctx.provider(),
      engine: () => ctx.engine(),
      load: async () => (await import('../../runtime/ask.ts')).ask,
      settings: () => ctx.config.ask(),
      now: () => performance.now(),
      onAction: (action: AskAction, state: AskState) => this.#onAction(action, state),
    };
    return this.#parts.state === null ? new AskSession(needs) : new AskSession(needs, this.#parts.state);
  }

  #onAction(action: AskAction, state: AskState): void {
    if (action.type === 'event' && action.event.type === 'token') {
      this.#poster.token(state.run?.id ?? 0, action.event.turn, action.event.text);
      return;
    }
    this.#poster.changed();
    const isProgress = action.type === 'event' && action.event.type === 'phase';
    if (!isProgress && !this.isDisposed) void this.#keep(state);
  }

  async #keep(state: AskState): Promise<void> {
    try {
      await this.#parts.records.write(this.#parts.id, state);
    } catch (error) {
      this.#ctx.log.warn(`the ask panel of ${this.#parts.db} cannot be kept for a reload: ${String(error)}`);
    }
  }

  #state(): AskPanelState {
    const { db, id, history } = this.#parts;
    return {
      panel: id,
      database: { name: basename(db), folder: folderForPeople(dirname(db)), path: db },
      trusted: vscode.workspace.isTrusted,
      model: this.#model,
      modelProblem: this.#modelProblem,
      samples: this.#ctx.config.ask().samples,
      run: runAt(this.#session.state, performance.now()),
      edited: this.#session.state.edited,
      history: history.of(db),
    };
  }

  #postState(): void {
    // A view that is not ready is told everything once it is.
    if (this.#channel.isReady) this.#channel.post({ type: 'state', state: this.#state() });
  }

  /** Which model would answer. */
  async #lookUpModel(): Promise<void> {
    this.#modelProblem = null;
    if (vscode.workspace.isTrusted)
      try {
        const provider = await this.#ctx.provider();
        this.#model = provider.model;
        await provider.dispose();
      } catch (error) {
        this.#model = null;
        this.#modelProblem = toWireError(error);
      }
    this.#poster.changed();
  }

  async #receive(message: Message): Promise<void> {
    try {
      await this.#answer(message);
    } catch (error) {
      this.#ctx.log.error(`ask panel, ${message.type}`, error);
    }
  }

  async #answer(message: Message): Promise<void> {
    const { db, history } = this.#parts;
    switch (message.type) {
      case 'ask': {
        const { type: _, ...question } = message;
        return await this.#asked(question.question, question.evidence, this.#session.ask(question));
      }
      case 'again': {
        const { run } = this.#session.state;
        return run === null ? undefined : await this.#asked(run.question, run.evidence, this.#session.again());
      }
      case 'stop':
        return this.#session.stop();
      case 'runSql':
        return this.#logged('SQL of the user', await this.#session.runSql(message.sql));
      case 'stopSql':
        return this.#session.stopSql();
      case 'discardSql':
        return this.#session.discardSql();
      case 'openSql':
        return await this.#openSql(message.sql);
      case 'checkSql':
        await vscode.commands.executeCommand('sqlAgent.whyWrong', vscode.Uri.file(db), message.sql);
        return;
      case 'saveTest':
        return await this.#saveTest(message.which);
      case 'copyText':
        await vscode.env.clipboard.writeText(message.text);
        return this.#channel.post({ type: 'done', text: 'Copied.' });
      case 'copyTable':
        return await this.#copyTable(message);
      case 'page':
      case 'cell':
        return this.#rows(message);
      case 'forget':
        await history.forget(db, message.at);
        return this.#poster.changed();
      default:
        return await this.#command(message.type);
    }
  }

  async #command(type: 'openDatabase' | 'chooseModel' | 'manageTrust' | 'showLog'): Promise<void> {
    const commands = {
      openDatabase: 'sqlAgent.openDatabase',
      chooseModel: 'sqlAgent.chooseModel',
      manageTrust: 'workbench.trust.manage',
      showLog: 'sqlAgent.showLog',
    };
    const given = type === 'openDatabase' ? [vscode.Uri.file(this.#parts.db)] : [];
    await vscode.commands.executeCommand(commands[type], ...given);
    if (type === 'chooseModel') await this.#lookUpModel();
  }

  #logged(what: string, error: unknown): void {
    if (error !== null && !isSilent(error)) this.#ctx.log.error(what, error);
  }

  /** Keeps the question, and what came of it once it is answered. */
  async #asked(question: string, evidence: string, answering: Promise<unknown>): Promise<void> {
    const { db, history } = this.#parts;
    const item = { question, evidence, at: Date.now(), sql: null, rows: null };
    await history.add(db, item);
    this.#logged('the question failed', await answering);
    const answer = this.#session.state.run?.answer;
    if (answer) await history.add(db, { ...item, sql: answer.sql, rows: answer.outcome.table?.rows ?? null });
    await this.#lookUpModel();
  }

  async #openSql(sql: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument({ language: 'sql', content: sql });
    const isFirst = this.#parts.panel.viewColumn === vscode.ViewColumn.One;
    await vscode.window.showTextDocument(document, isFirst ? vscode.ViewColumn.Beside : vscode.ViewColumn.One);
  }

  /** "Save as Test": what failed is shown, since the user waits for it. */
  async #saveTest(which: 'answer' | 'edited'): Promise<void> {
    const { db } = this.#parts;
    const { run, edited } = this.#session.state;
    const ran = which === 'answer' ? run?.answer : edited;
    if (!run || !ran?.sql || ran.outcome?.status !== 'ok') return;
    const { question, evidence, previous } = run;
    const test = { db, question, evidence, sql: ran.sql, isFollowUp: previous !== null };
    try {
      const { saveAsTest } = await import('../tests/save.ts');
      const text = await saveAsTest(this.#ctx, test);
      if (text !== null) this.#channel.post({ type: 'done', text });
    } catch (error) {
      reportError(this.#ctx, 'Save as Test', error);
    }
  }

  async #copyTable({ table, format }: Extract<Message, { type: 'copyTable' }>): Promise<void> {
    const { run, edited, rows } = this.#session.state;
    const tables = [run?.answer?.outcome.table, edited?.outcome?.table];
    const found = tables.find((candidate) => candidate?.id === table);
    const all = rows[table];
    if (!found || !all) return;
    const names = found.columns.map(({ name }) => name);
    await vscode.env.clipboard.writeText(tableText(names, all, format));
    const which = found.truncated ? 'the first ' : '';
    const text = `Copied ${which}${all.length} ${all.length === 1 ? 'row' : 'rows'} as ${format.toUpperCase()}.`;
    this.#channel.post({ type: 'done', text });
  }

  /** Answers with a page of a result, or with one of its cells. */
  #rows(message: Extract<Message, { type: 'page' | 'cell' }>): void {
    const { request, table } = message;
    const rows = this.#session.state.rows[table];
    if (!rows) {
      this.#channel.post({ type: 'failed', request, error: toWireError(pageGone()) });
    } else if (message.type === 'cell') {
      this.#channel.post({ type: 'cell', request, cell: rows[message.row]?.[message.column] ?? null });
    } else {
      const { offset, limit } = message;
      const cut = rows.slice(offset, offset + limit).map((row) => row.map(cutCell));
      this.#channel.post({ type: 'page', request, page: { offset, rows: cut, more: offset + limit < rows.length } });
    }
  }
}
