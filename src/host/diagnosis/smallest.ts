import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { signalOf } from '../models/try-model.ts';
import { startingRows } from './keys.ts';
import type { DiagnosisSession } from './session.ts';
import { smallestText } from './smallest-text.ts';

/**
 * Looks for the smallest rows on which the queries of a session differ, and opens statements that make them.
 * @returns what to tell the user; null where the user stopped it
 */
export async function openSmallestRows(
  ctx: Ctx,
  session: DiagnosisSession,
  column: vscode.ViewColumn,
): Promise<string | null> {
  const { task, diagnosis } = session;
  if (task === null || task.gold === null) return null;
  const { db, gold, pred } = task;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: 'Looking for the smallest rows',
    cancellable: true,
  };
  const { found, stopped } = await vscode.window.withProgress(options, async (_, token) => {
    const [{ minimise }, engine] = await Promise.all([import('../../runtime/diagnose/minimise.ts'), ctx.engine()]);
    const signal = signalOf(token);
    const catalog = await engine.catalogs.read(engine.sandbox, db);
    const start = diagnosis === null ? [] : startingRows(diagnosis);
    const found = await minimise(engine.sandbox, { db, catalog, gold, pred, start }, undefined, signal);
    return { found, stopped: signal.aborted };
  });
  if (stopped) return null;
  if (found.minimised === null) return `There are no smallest rows: ${found.why}`;
  const content = smallestText(found.minimised, { gold, pred });
  const document = await vscode.workspace.openTextDocument({ language: 'sql', content });
  await vscode.window.showTextDocument(document, column);
  return 'Opened the smallest rows.';
}
