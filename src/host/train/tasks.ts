import { basename } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { childEntry } from '../../runtime/paths.ts';
import type { Ctx } from '../ctx.ts';
import { TRAIN_TASK } from '../ids.ts';
import { resultsFolderOf } from '../tests/results-folder.ts';
import { findTrainingData } from './data-files.ts';
import { TrainTask } from './task-definition.ts';
import { trainWords } from './train-words.ts';

function taskOf(ctx: Ctx, definition: TrainTask, folder: vscode.WorkspaceFolder, name: string): vscode.Task {
  const words = trainWords({ results: resultsFolderOf(ctx, folder), ...definition });
  // The extension host's own program is Node under another name.
  const env = { ELECTRON_RUN_AS_NODE: '1', SQL_AGENT_HOME: ctx.storage };
  const execution = new vscode.ProcessExecution(process.execPath, [childEntry('cli'), ...words], {
    cwd: folder.uri.fsPath,
    env,
  });
  const task = new vscode.Task(definition, folder, name, 'SQL Agent', execution, '$sql-agent-train');
  task.presentationOptions = { clear: true };
  task.detail = `Fine-tunes ${basename(definition.base)} on ${basename(definition.data)}`;
  return task;
}

/** Tasks that need no tasks.json: the bundled model on each file that looks like training data. */
export async function provideTasks(ctx: Ctx): Promise<vscode.Task[]> {
  const files = await findTrainingData();
  return files.flatMap((uri) => {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (folder === undefined) return [];
    const data = vscode.workspace.asRelativePath(uri, false);
    return [taskOf(ctx, { type: TRAIN_TASK, base: 'small', data }, folder, `small on ${data}`)];
  });
}

/** A task of tasks.json, made runnable; undefined where it is none of ours or its fields do not fit. */
export function resolveTask(ctx: Ctx, task: vscode.Task): vscode.Task | undefined {
  const parsed = TrainTask.safeParse(task.definition);
  const { scope } = task;
  const folder = typeof scope === 'object' ? scope : vscode.workspace.workspaceFolders?.[0];
  if (parsed.success && folder !== undefined) {
    // VS Code finds the task again by the very definition that it gave.
    const made = taskOf(ctx, parsed.data, folder, task.name);
    const { execution, problemMatchers, presentationOptions } = made;
    const resolved = new vscode.Task(task.definition, folder, task.name, 'SQL Agent', execution, problemMatchers);
    resolved.presentationOptions = presentationOptions;
    return resolved;
  }
  if (!parsed.success) ctx.log.warn(`task "${task.name}": ${z.prettifyError(parsed.error)}`);
  return undefined;
}
