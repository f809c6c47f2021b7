import { basename } from 'node:path';
import * as vscode from 'vscode';
import { toWireError } from '../../protocol/errors.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import { findDatabases } from './find.ts';
import { columnLook, columnNodes, type DatabaseNode, type NodeLook, tableLook, tableNodes } from './nodes.ts';

/** The Databases view: databases of the workspace, their tables, their columns. Each level is read when it is opened. */
export class DatabasesProvider extends Disposable implements vscode.TreeDataProvider<DatabaseNode> {
  readonly #ctx: Ctx;
  readonly #changed = this._register(new vscode.EventEmitter<undefined>());
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(ctx: Ctx) {
    super();
    this.#ctx = ctx;
  }

  /** Looks for databases again. Schemas are read again only where their files changed. */
  refresh(): void {
    this.#changed.fire(undefined);
  }

  async getChildren(node?: DatabaseNode): Promise<DatabaseNode[]> {
    if (!node) return (await findDatabases()).map((uri) => ({ kind: 'database', uri }));
    if (node.kind === 'database') return await this.#tables(node.uri);
    return node.kind === 'table' ? columnNodes(node.uri, node.table) : [];
  }

  async #tables(uri: vscode.Uri): Promise<DatabaseNode[]> {
    try {
      const engine = await this.#ctx.engine();
      return tableNodes(uri, await engine.catalogs.read(engine.sandbox, uri.fsPath));
    } catch (error) {
      this.#ctx.log.error(`the tables of ${uri.fsPath} cannot be listed`, error);
      return [{ kind: 'problem', uri, message: toWireError(error).message }];
    }
  }

  getTreeItem(node: DatabaseNode): vscode.TreeItem {
    switch (node.kind) {
      case 'database':
        return databaseItem(node.uri);
      case 'table':
        return tableItem(node);
      case 'column':
        return itemOf(columnLook(node.table, node.column), vscode.TreeItemCollapsibleState.None);
      case 'problem':
        return problemItem(node.message);
    }
  }
}

function itemOf(look: NodeLook, state: vscode.TreeItemCollapsibleState): vscode.TreeItem {
  const item = new vscode.TreeItem(look.label, state);
  item.description = look.description;
  item.iconPath = new vscode.ThemeIcon(look.icon);
  item.tooltip = look.tooltip;
  return item;
}

function databaseItem(uri: vscode.Uri): vscode.TreeItem {
  const item = new vscode.TreeItem(basename(uri.fsPath), vscode.TreeItemCollapsibleState.Collapsed);
  const folder = vscode.workspace.asRelativePath(vscode.Uri.joinPath(uri, '..'));
  const isTop = vscode.workspace.workspaceFolders?.some(({ uri: top }) => top.fsPath === folder) ?? false;
  item.id = uri.toString();
  item.description = isTop ? '' : folder;
  item.iconPath = new vscode.ThemeIcon('database');
  item.tooltip = uri.fsPath;
  item.contextValue = 'database';
  item.command = { command: 'sqlAgent.openDatabase', title: 'Open Database', arguments: [uri] };
  return item;
}

function tableItem({ uri, table }: { uri: vscode.Uri; table: Parameters<typeof tableLook>[0] }): vscode.TreeItem {
  const item = itemOf(tableLook(table), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `${uri.toString()}\n${table.name}`;
  item.contextValue = 'table';
  item.command = { command: 'sqlAgent.openDatabase', title: 'Open Table', arguments: [uri, table.name] };
  return item;
}

function problemItem(message: string): vscode.TreeItem {
  const item = new vscode.TreeItem(message, vscode.TreeItemCollapsibleState.None);
  item.iconPath = new vscode.ThemeIcon('error');
  item.tooltip = message;
  return item;
}
