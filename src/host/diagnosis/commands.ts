import * as vscode from 'vscode';
import { hasSqliteHeader } from '../../runtime/sqlite-header.ts';
import { activeDatabase } from '../ask/commands.ts';
import type { Ctx } from '../ctx.ts';
import { databaseOf } from '../databases/argument.ts';
import { pickDatabase } from '../databases/commands.ts';
import { notADatabase, notALocalFile } from '../errors.ts';

/** The SQL in the active editor: what is selected, else all of it; '' where another thing is open. */
function activeSql(): string {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== 'sql') return '';
  const { document, selection } = editor;
  return document.getText(selection.isEmpty ? undefined : selection);
}

/**
 * "Why Are These Rows Wrong?": looks into a query, that of the caller or the one in the active editor, over the database
 * that is meant, else one that the user picks.
 * @throws AppError where it is no file on disk or no database
 */
export async function whyWrong(ctx: Ctx, argument: unknown, query: unknown): Promise<void> {
  const sql = typeof query === 'string' ? query : activeSql();
  const uri = databaseOf(argument) ?? activeDatabase() ?? (await pickDatabase('Why Are These Rows Wrong?'));
  if (!uri) return;
  if (uri.scheme !== 'file') throw notALocalFile(uri.toString(true));
  if (!(await hasSqliteHeader(uri.fsPath))) throw notADatabase(uri.fsPath);
  ctx.openDiagnosis.fire({ db: uri.fsPath, sql });
}
