import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { Disposable } from '../disposable.ts';

/** A write touches the file several times: it is looked at once it is quiet. */
const QUIET_MS = 250;

async function stampOf(path: string): Promise<string> {
  try {
    const { size, mtimeMs } = await stat(path);
    return `${size} ${mtimeMs}`;
  } catch {
    return '';
  }
}

/** What a database file and its log look like from outside; another text after each write. */
export async function databaseStamp(path: string): Promise<string> {
  return (await Promise.all([stampOf(path), stampOf(`${path}-wal`)])).join(' ');
}

/** Tells when a database file, or the log beside it, was written. */
export class DatabaseWatcher extends Disposable {
  readonly #changed = this._register(new vscode.EventEmitter<void>());
  readonly onDidChange = this.#changed.event;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: vscode.Uri) {
    super();
    const folder = vscode.Uri.joinPath(file, '..');
    const watcher = this._register(vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '*')));
    const name = basename(file.path);
    const names = new Set([name, `${name}-wal`]);
    const look = (uri: vscode.Uri) => {
      if (!names.has(basename(uri.path))) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#changed.fire(), QUIET_MS);
    };
    this._register(watcher.onDidChange(look));
    this._register(watcher.onDidCreate(look));
    this._register(watcher.onDidDelete(look));
    this._register({ dispose: () => clearTimeout(this.#timer) });
  }
}
