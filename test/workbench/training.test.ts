import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Ctx } from '../../src/host/ctx.ts';
import { RUN_FILES } from '../../src/protocol/training.ts';
import { identityOf } from '../../src/runtime/trainer/process-identity.ts';
import { TrainingRunFolder } from '../support/training-run.ts';
import { testApi } from './support/extension.ts';
import { activeTab, closeAll, untilTabs, workspaceFile } from './support/tabs.ts';

const TYPE = 'sql-agent-train';

/** Resolves with the exit code of a task. */
async function exitOf(task: vscode.Task): Promise<number | undefined> {
  const ended = new Promise<number | undefined>((resolve) => {
    const listening = vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
      if (execution.task.name !== task.name) return;
      listening.dispose();
      resolve(exitCode);
    });
  });
  await vscode.tasks.executeTask(task);
  return await ended;
}

/** Waits until the window knows of runs at work, or of none. */
async function untilLive(ctx: Ctx, count: number): Promise<void> {
  const trainings = await ctx.trainings();
  if (trainings.live.length === count) return;
  await new Promise<void>((resolve) => {
    const listening = trainings.onDidChange(() => {
      if (trainings.live.length !== count) return;
      listening.dispose();
      resolve();
    });
  });
}

describe('training in VS Code', () => {
  let ctx: Ctx;
  const runFolder = (name: string) => workspaceFile(join('training-runs', name)).fsPath;

  before(async () => {
    ({ ctx } = await testApi());
  });
  afterEach(closeAll);

  it('offers a task for each file that looks like training data, which calls the command line', async () => {
    writeFileSync(workspaceFile('shop.train.jsonl').fsPath, '{"messages": []}\n');
    const tasks = await vscode.tasks.fetchTasks({ type: TYPE });
    const task = tasks.find(({ name }) => name === 'small on shop.train.jsonl');
    assert.ok(task, tasks.map(({ name }) => name).join(', '));
    assert.ok(task.execution instanceof vscode.ProcessExecution);
    const [program, ...words] = task.execution.args;
    assert.match(program ?? '', /dist\/cli\.js$/);
    assert.deepEqual(words.slice(0, 4), ['train', 'sft', '--base=small', '--data=shop.train.jsonl']);
    assert.match(words[4] ?? '', /^--results=.*\/results$/);
  });

  it('runs a task of tasks.json; one that names what is not there fails with exit code 1', async () => {
    mkdirSync(workspaceFile('.vscode').fsPath, { recursive: true });
    const label = 'train on nothing';
    const definition = { type: TYPE, base: 'small', data: 'absent.jsonl', r: 8, sharePrefixes: false };
    const file = workspaceFile('.vscode/tasks.json').fsPath;
    const loaded = new Promise<void>((resolve) => {
      const watcher = vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration('tasks')) return;
        watcher.dispose();
        resolve();
      });
    });
    writeFileSync(file, JSON.stringify({ version: '2.0.0', tasks: [{ label, ...definition }] }));
    await loaded;
    const task = (await vscode.tasks.fetchTasks()).find(({ name }) => name === label);
    assert.ok(task);
    assert.equal(await exitOf(task), 1);
  });

  it('opens the view of any run, and keeps it in the list of runs', async () => {
    const elsewhere = join(ctx.storage, '..', 'elsewhere');
    new TrainingRunFolder(elsewhere, 10).begin().steps(1, 10).beat({ state: 'done', step: 10 });
    await vscode.commands.executeCommand('sqlAgent.openTraining', elsewhere);
    await untilTabs(() => activeTab()?.label === 'elsewhere', 'the view of the run');
    const { runs } = await (await ctx.trainings()).list();
    assert.ok(runs.some(({ snapshot }) => snapshot.folder === elsewhere));
  });

  it('finds a run that somebody else begins, asks its trainer to stop, and sees it end', async () => {
    const own = await identityOf(process.pid);
    const run = new TrainingRunFolder(runFolder('begun'), 100).begin(own);
    run.steps(1, 5).beat({ state: 'training', step: 5, process: own });
    await untilLive(ctx, 1);
    assert.equal(await vscode.commands.executeCommand('sqlAgent.stopTraining'), true);
    assert.ok(existsSync(join(run.path, RUN_FILES.control, 'stop')));
    run.beat({ state: 'stopped', step: 5, process: own });
    await untilLive(ctx, 0);
    assert.equal(await vscode.commands.executeCommand('sqlAgent.stopTraining', run.path), undefined);
  });
});
