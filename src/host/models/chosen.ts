import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';

const SHOWN_MS = 8000;

/** Says in the status bar which model answers from now on. */
export function tellChosen(ctx: Ctx, model: string): void {
  const text = `Questions are answered by ${model}`;
  ctx.log.info(text);
  vscode.window.setStatusBarMessage(`$(check) ${text}`, SHOWN_MS);
}
