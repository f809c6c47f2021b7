import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import {
  type DatabaseDown,
  type DatabaseState,
  type DatabaseUp,
  databaseChannel,
} from '../../protocol/database-view.ts';
import { toWireError } from '../../protocol/errors.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { notALocalFile } from '../errors.ts';
import type { WebviewChannel } from '../webview/channel.ts';
import { openWebview } from '../webview/open.ts';
import { DatabaseSession } from './session.ts';
import { changed, failed, read, unread } from './state.ts';
import { DatabaseWatcher, databaseStamp } from './watcher.ts';

type UpMessage = Exclude<DatabaseUp, { type: 'ready' }>;

/** One editor of one database file: reads its schema, answers its view, watches the file. */
export class DatabaseEditor extends Disposable {
  readonly #ctx: Ctx;
  readonly #uri: vscode.Uri;
  readonly #channel: WebviewChannel<DatabaseUp, DatabaseDown>;
  readonly #session: DatabaseSession;
  #state: DatabaseState;
  #stamp = '';
  /** Counts readings: an earlier one that ends late is dropped. */
  #readings = 0;

  constructor(ctx: Ctx, uri: vscode.Uri, panel: vscode.WebviewPanel) {
    super();
    this.#ctx = ctx;
    this.#uri = uri;
    this.#state = unread(uri.scheme === 'file' ? uri.fsPath : uri.path);
    this.#session = new DatabaseSession({
      db: uri.fsPath,
      sandbox: async () => (await ctx.engine()).sandbox,
      timeoutMs: () => ctx.config.ask().timeoutMs,
      post: (message) => this.#channel.post(message),
    });
    this._register({ dispose: () => this.#session.stop() });
    this.#channel = this._register(
      openWebview(ctx, panel, 'database', databaseChannel, {
        onReady: () => this.#postState(),
        onMessage: (message) => void this.#receive(message),
      }),
    );
    this._register(
      ctx.revealTable.event(({ db, table }) => {
        if (db === uri.fsPath) this.#channel.post({ type: 'reveal', table });
      }),
    );
    if (uri.scheme === 'file') {
      const watcher = this._register(new DatabaseWatcher(uri));
      this._register(watcher.onDidChange(() => void this.#look()));
    }
    void this.#read();
  }

  #setState(state: DatabaseState): void {
    this.#state = state;
    if (this.#channel.isReady) this.#postState();
  }

  #postState(): void {
    this.#channel.post({ type: 'state', state: this.#state });
  }

  async #read(): Promise<void> {
    this.#readings += 1;
    const reading = this.#readings;
    try {
      if (this.#uri.scheme !== 'file') throw notALocalFile(this.#uri.toString(true));
      const path = this.#uri.fsPath;
      const engine = await this.#ctx.engine();
      const stamp = await databaseStamp(path);
      const catalog = await engine.catalogs.read(engine.sandbox, path);
      const { size } = await stat(path);
      if (reading !== this.#readings) return;
      this.#stamp = stamp;
      this.#session.setCatalog(catalog);
      this.#setState(read(this.#state, catalog, size));
    } catch (error) {
      if (reading !== this.#readings) return;
      this.#ctx.log.error(`${this.#uri.toString(true)} cannot be shown`, error);
      this.#setState(failed(this.#state, toWireError(error)));
    }
  }

  /** Looks whether the file is another one than was read. One that could not be read is read again. */
  async #look(): Promise<void> {
    if (this.#state.problem !== null) await this.#read();
    else if ((await databaseStamp(this.#uri.fsPath)) !== this.#stamp) this.#setState(changed(this.#state));
  }

  async #receive(message: UpMessage): Promise<void> {
    switch (message.type) {
      case 'page':
      case 'count':
      case 'cell':
      case 'cancel':
        return await this.#session.answer(message);
      case 'reload':
        return await this.#read();
      case 'copyText':
        return await vscode.env.clipboard.writeText(message.text);
      case 'ask':
        return await vscode.commands.executeCommand('sqlAgent.ask', this.#uri);
      case 'reopenWith':
        return await vscode.commands.executeCommand('workbench.action.reopenWithEditor');
      case 'showLog':
        return this.#ctx.log.show();
    }
  }
}
