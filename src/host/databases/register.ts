import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { VIEWS } from '../ids.ts';
import { DATABASE_GLOB } from './find.ts';
import { DatabasesProvider } from './provider.ts';

/** Files that come together (a database and its log, a checkout) refresh the view once. */
const QUIET_MS = 300;

/** Registers the Databases view. Files are looked for, and watched, once it is shown. */
export function registerDatabasesView(ctx: Ctx): void {
  const provider = ctx.own(new DatabasesProvider(ctx));
  const view = ctx.own(vscode.window.createTreeView(VIEWS.databases, { treeDataProvider: provider }));
  ctx.own(ctx.refreshDatabases.event(() => provider.refresh()));
  const shown = view.onDidChangeVisibility(({ visible }) => {
    if (!visible) return;
    shown.dispose();
    watch(ctx, provider);
  });
  ctx.own(shown);
  if (view.visible) watch(ctx, provider);
}

function watch(ctx: Ctx, provider: DatabasesProvider): void {
  const watcher = ctx.own(vscode.workspace.createFileSystemWatcher(DATABASE_GLOB));
  let timer: NodeJS.Timeout | undefined;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => provider.refresh(), QUIET_MS);
  };
  ctx.own(watcher.onDidCreate(soon));
  ctx.own(watcher.onDidDelete(soon));
  ctx.own(watcher.onDidChange(soon));
  ctx.own(vscode.workspace.onDidChangeWorkspaceFolders(soon));
  ctx.own({ dispose: () => clearTimeout(timer) });
}
