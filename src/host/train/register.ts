import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { PANELS, TRAIN_TASK } from '../ids.ts';
import { rememberedRuns, trainingFolders } from './folders.ts';

/** Registers tasks that train, what brings training views back after a reload, and the search for runs that go on. */
export function registerTraining(ctx: Ctx): void {
  ctx.own(
    vscode.window.registerWebviewPanelSerializer(PANELS.training, {
      deserializeWebviewPanel: async (panel, memory) => (await ctx.trainings()).panels.restore(panel, memory),
    }),
  );
  ctx.own(
    vscode.tasks.registerTaskProvider(TRAIN_TASK, {
      provideTasks: async () => (await import('./tasks.ts')).provideTasks(ctx),
      resolveTask: async (task) => (await import('./tasks.ts')).resolveTask(ctx, task),
    }),
  );
  // Behind the activation, which waits for nothing of it.
  setImmediate(() => void findAgain(ctx));
}

/** Runs outlive windows: those of this window's folders are looked for where there may be some. */
async function findAgain(ctx: Ctx): Promise<void> {
  const folders = [...trainingFolders(ctx), ...rememberedRuns(ctx)];
  const found = await Promise.all(folders.map((folder) => stat(folder).catch(() => null)));
  if (found.some((stats) => stats !== null) && !ctx.isDisposed) await ctx.trainings();
}
