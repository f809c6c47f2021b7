import * as vscode from 'vscode';
import { storageFolder } from '../runtime/paths.ts';
import { Config } from './config.ts';
import { Disposable, type DisposableLike } from './disposable.ts';
import { untrustedWorkspace } from './errors.ts';
import { Log } from './log.ts';

/** What every part of the host is given: made once in `activate`, passed by parameter. */
export class Ctx extends Disposable {
  readonly extension: vscode.ExtensionContext;
  readonly log: Log;
  readonly config: Config;
  /** Absolute path of the storage folder, shared with the command line. May not exist yet. */
  readonly storage: string;

  constructor(extension: vscode.ExtensionContext) {
    super();
    this.extension = extension;
    this.log = this._register(new Log());
    this.config = this._register(new Config(this.log));
    this.storage = storageFolder();
  }

  /** Owns `item` until the extension ends. */
  own<T extends DisposableLike>(item: T): T {
    return this._register(item);
  }

  /** A file of the extension's own, e.g. `dist/webview/ask.js`. */
  asset(...path: string[]): vscode.Uri {
    return vscode.Uri.joinPath(this.extension.extensionUri, ...path);
  }

  /** @throws AppError `untrusted_workspace` in Restricted Mode. @param what begins a sentence, e.g. "Asking". */
  requireTrust(what: string): void {
    if (!vscode.workspace.isTrusted) throw untrustedWorkspace(what);
  }
}
