import { join } from 'node:path';
import * as vscode from 'vscode';
import { RUN_FILES } from '../../protocol/training.ts';
import { readAdapterFile } from '../../runtime/model/adapter-file.ts';
import type { Ctx } from '../ctx.ts';
import { adapterChoice, useAdapter } from '../models/use-adapter.ts';
import { runEvaluation } from '../runs/commands.ts';
import { folderOf } from './argument.ts';
import { noAdapterYet } from './errors.ts';

/** The adapter of the run that a menu or a view means; null where nothing does. @throws AppError `training_no_adapter` */
async function adapterOf(argument: unknown): Promise<string | null> {
  const folder = folderOf(argument);
  if (folder === null) return null;
  const path = join(folder, RUN_FILES.adapterGguf);
  await readAdapterFile(path).catch(() => {
    throw noAdapterYet(folder);
  });
  return path;
}

/** "Ask with This Adapter": its base and it answer from now on; leads to the panel of a database. */
export async function askWithAdapter(ctx: Ctx, argument: unknown): Promise<void> {
  ctx.requireTrust('Asking');
  const path = await adapterOf(argument);
  if (path !== null && (await useAdapter(ctx, path))) await vscode.commands.executeCommand('sqlAgent.ask');
}

/** "Evaluate This Adapter…": asks over which questions, and runs them; the model that answers otherwise stays. */
export async function evaluateAdapter(ctx: Ctx, argument: unknown): Promise<void> {
  ctx.requireTrust('Running evaluations');
  const path = await adapterOf(argument);
  const choice = path === null ? null : await adapterChoice(ctx, path);
  if (choice !== null) await runEvaluation(ctx, choice);
}
