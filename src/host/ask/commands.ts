import * as vscode from 'vscode';
import { hasSqliteHeader } from '../../runtime/sqlite-header.ts';
import type { Ctx } from '../ctx.ts';
import { databaseOf } from '../databases/argument.ts';
import { pickDatabase } from '../databases/commands.ts';
import { notADatabase, notALocalFile } from '../errors.ts';
import { CUSTOM_EDITORS } from '../ids.ts';

/** The database that is open in the active editor; null where another thing is. */
export function activeDatabase(): vscode.Uri | null {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (!(input instanceof vscode.TabInputCustom)) return null;
  const ours: readonly string[] = Object.values(CUSTOM_EDITORS);
  return ours.includes(input.viewType) ? input.uri : null;
}

/**
 * "Ask…": opens the panel of the database that a menu means, else of the one in the active editor, else of one that the
 * user picks.
 * @param question text for the question's box
 * @throws AppError where it is no file on disk or no database
 */
export async function askDatabase(ctx: Ctx, argument: unknown, question: unknown): Promise<void> {
  const uri = databaseOf(argument) ?? activeDatabase() ?? (await pickDatabase('Ask'));
  if (!uri) return;
  if (uri.scheme !== 'file') throw notALocalFile(uri.toString(true));
  if (!(await hasSqliteHeader(uri.fsPath))) throw notADatabase(uri.fsPath);
  ctx.openAsk.fire({ db: uri.fsPath, question: typeof question === 'string' ? question : null });
}
