import * as vscode from 'vscode';
import type { ResultTable, TableFormat } from '../../protocol/ask-panel.ts';
import type { Ctx } from '../ctx.ts';
import { chooseDatabases } from './databases.ts';
import type { RowsAnswer, RowsRequest, SideRows } from './rows.ts';

/** What a view with results of queries asks for, in `src/protocol/result-side.ts`. */
export type SideMessage =
  | RowsRequest
  | { type: 'copyText'; text: string }
  | { type: 'copyTable'; table: ResultTable['id']; format: TableFormat }
  | { type: 'openSql'; sql: string }
  | { type: 'chooseFolder' }
  | { type: 'showLog' };

/** The panel that is asked. */
export interface SidePanel {
  ctx: Ctx;
  panel: vscode.WebviewPanel;
  rows: SideRows;
  /** File name of the dataset whose databases are meant. */
  dataset(): string;
  post(message: RowsAnswer | { type: 'done'; text: string }): void;
  /** Other databases may be found from now on. */
  again(): void;
}

/** Answers a message that views with results have in common. */
export async function answerSide(from: SidePanel, message: SideMessage): Promise<void> {
  switch (message.type) {
    case 'page':
    case 'cell':
      return from.post(from.rows.answer(message));
    case 'copyText':
      await vscode.env.clipboard.writeText(message.text);
      return from.post({ type: 'done', text: 'Copied.' });
    case 'copyTable': {
      const copied = from.rows.text(message.table, message.format);
      if (copied === null) return;
      await vscode.env.clipboard.writeText(copied.text);
      return from.post({ type: 'done', text: copied.said });
    }
    case 'openSql':
      return await openSql(from.panel, message.sql);
    case 'chooseFolder':
      if (await chooseDatabases(from.ctx, from.dataset())) from.again();
      return;
    case 'showLog':
      return from.ctx.log.show();
  }
}

/** Opens SQL in an editor beside its panel. */
async function openSql(panel: vscode.WebviewPanel, sql: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'sql', content: sql });
  const isFirst = panel.viewColumn === vscode.ViewColumn.One;
  await vscode.window.showTextDocument(document, isFirst ? vscode.ViewColumn.Beside : vscode.ViewColumn.One);
}
