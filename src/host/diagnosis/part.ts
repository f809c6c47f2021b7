import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { DiagnosisMessage, DiagnosisState } from '../../protocol/diagnosis-view.ts';
import { toWireError } from '../../protocol/errors.ts';
import type { Diagnoser } from '../../runtime/diagnose/diagnose.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { isSilent } from '../errors.ts';
import { DEBUG_TYPE } from '../ids.ts';
import { reportError } from '../report.ts';
import { DiagnosisSession, type DiagnosisTask } from './session.ts';
import { openSmallestRows } from './smallest.ts';

/** The channel of the panel that a diagnosis is a part of. */
export interface DiagnosisChannel {
  readonly isReady: boolean;
  /** A state of null: nothing is diagnosed. */
  post(message: { type: 'diagnosis'; state: DiagnosisState | null } | { type: 'done'; text: string }): void;
}

/** The diagnosis in a panel. */
export class DiagnosisPart extends Disposable {
  readonly #ctx: Ctx;
  readonly #panel: vscode.WebviewPanel;
  readonly #channel: DiagnosisChannel;
  readonly #session: DiagnosisSession;
  #diagnoser: Promise<Diagnoser> | null = null;

  constructor(ctx: Ctx, panel: vscode.WebviewPanel, channel: DiagnosisChannel) {
    super();
    this.#ctx = ctx;
    this.#panel = panel;
    this.#channel = channel;
    this.#session = new DiagnosisSession({
      diagnoser: () => this.#load(),
      onState: () => {
        if (!this.isDisposed && channel.isReady) this.post();
      },
      onFailure: (error) => {
        if (!isSilent(error)) ctx.log.warn(`diagnosis: ${toWireError(error).message}`);
      },
    });
    this._register({ dispose: () => this.#session.clear() });
    this._register({ dispose: () => void this.#diagnoser?.then((diagnoser) => diagnoser.dispose()) });
  }

  /** Tells the view what is to be shown. */
  post(): void {
    this.#channel.post({ type: 'diagnosis', state: this.#session.state });
  }

  #load(): Promise<Diagnoser> {
    this.#diagnoser ??= Promise.all([import('../../runtime/diagnose/diagnose.ts'), this.#ctx.engine()]).then(
      ([{ Diagnoser: Loaded }, { sandbox, catalogs }]) => new Loaded({ sandbox, catalogs }),
    );
    return this.#diagnoser;
  }

  /** Looks into queries. In Restricted Mode VS Code debugs nothing. */
  async begin(task: Omit<DiagnosisTask, 'canDebug'>): Promise<void> {
    await this.#session.begin({ ...task, canDebug: vscode.workspace.isTrusted });
  }

  /** Shows nothing. */
  clear(): void {
    this.#session.clear();
  }

  /** Answers a message of the view. */
  async answer(message: DiagnosisMessage): Promise<void> {
    switch (message.type) {
      case 'diagnose':
        return await this.#session.again();
      case 'stopDiagnosis':
        return this.#session.stop();
      case 'smallestRows':
        return await this.#smallestRows();
      case 'debug':
        return await this.#debug();
    }
  }

  /** Steps through the queries, that of the prediction beside its gold. */
  async #debug(): Promise<void> {
    const { task } = this.#session;
    if (task === null) return;
    const { db, pred, gold } = task;
    const queries = { sql: pred, database: db, ...(gold === null ? {} : { gold }) };
    const name = `Trace a query of ${basename(db)}`;
    const config = { type: DEBUG_TYPE, request: 'launch', name, stopOnEntry: true, ...queries };
    await vscode.debug.startDebugging(undefined, config);
  }

  async #smallestRows(): Promise<void> {
    const isFirst = this.#panel.viewColumn === vscode.ViewColumn.One;
    const column = isFirst ? vscode.ViewColumn.Beside : vscode.ViewColumn.One;
    try {
      const said = await openSmallestRows(this.#ctx, this.#session, column);
      if (said !== null) this.#channel.post({ type: 'done', text: said });
    } catch (error) {
      reportError(this.#ctx, 'Smallest Rows', error);
    }
  }
}
