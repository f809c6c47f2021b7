import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import { isActive } from '../../core/training/words.ts';
import { askTrainer, type Wish } from '../../runtime/trainer/control.ts';
import { noTrainingRun } from '../../runtime/trainer/errors.ts';
import { isRunFolder } from '../../runtime/trainer/find-runs.ts';
import { launchTrainer, makeRunFolder } from '../../runtime/trainer/launch.ts';
import { resumeTraining } from '../../runtime/trainer/resume.ts';
import { trainingSettings } from '../../runtime/trainer/settings.ts';
import type { Ctx } from '../ctx.ts';
import { folderOf } from './argument.ts';
import { noOtherRun, noTrainings } from './errors.ts';
import { pickTraining } from './pick-training.ts';
import { trainWords } from './train-words.ts';
import type { Trainings } from './trainings.ts';

/** "Train…": asks what is to be trained, starts the trainer, and shows the run. */
export async function train(ctx: Ctx): Promise<void> {
  ctx.requireTrust('Training');
  const { askForTraining } = await import('./training-steps.ts');
  const order = await askForTraining(ctx);
  if (order === null) return;
  const title = 'Starting the trainer';
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async (progress) => {
    const onStep = (message: string) => progress.report({ message });
    const settings = await trainingSettings(order.choices, ctx.storage, order.cwd, { onStep });
    await makeRunFolder(order.folder, settings);
    const command = ['sql-agent', ...trainWords({ ...order.choices, out: order.folder })];
    const { ended } = await launchTrainer(order.folder, { by: { cwd: order.cwd, command } });
    const { panels, remember } = await opened(ctx, order.folder);
    const shown = panels.open(order.folder);
    await remember();
    void ended.then(() => shown.look());
  });
}

async function opened(ctx: Ctx, folder: string) {
  const trainings = await ctx.trainings();
  return { panels: trainings.panels, remember: () => trainings.remember(folder) };
}

/** The folder that an argument means, else that of a run that the user picks among some. */
async function folderFor(ctx: Ctx, argument: unknown, title: string, which: (isLive: boolean) => boolean) {
  const folder = folderOf(argument);
  if (folder !== null) return folder;
  const { runs } = await (await ctx.trainings()).list();
  const fitting = runs.map(({ snapshot }) => snapshot).filter(({ state }) => which(isActive(state)));
  if (fitting.length === 0) throw noTrainings();
  const [only] = fitting;
  return fitting.length === 1 && only !== undefined ? only.folder : await pickTraining(title, fitting);
}

async function pickAnyRun(trainings: Trainings): Promise<string | null> {
  const { runs } = await trainings.list();
  return await pickTraining(
    'Open Training Run',
    runs.map(({ snapshot }) => snapshot),
  );
}

/** "Open Training Run…": the view of the run that is meant, else of one that the user picks, wherever it lies. */
export async function openTraining(ctx: Ctx, argument: unknown): Promise<void> {
  const trainings = await ctx.trainings();
  const folder = folderOf(argument) ?? (await pickAnyRun(trainings));
  if (folder === null) return;
  if (!(await isRunFolder(folder))) throw noTrainingRun(folder);
  trainings.panels.open(folder);
  await trainings.remember(folder);
}

/** "Stop" and "Checkpoint Now". @returns whether the trainer was asked */
export async function wishOf(ctx: Ctx, argument: unknown, wish: Wish): Promise<boolean> {
  ctx.requireTrust('Training');
  const title = wish === 'stop' ? 'Stop Training' : 'Checkpoint Now';
  const folder = await folderFor(ctx, argument, title, (isLive) => isLive);
  if (folder === null) return false;
  await askTrainer(folder, wish);
  return true;
}

/** "Resume": goes on from the last checkpoint. @returns whether a trainer was started */
export async function resumeRun(ctx: Ctx, argument: unknown): Promise<boolean> {
  ctx.requireTrust('Training');
  const folder = await folderFor(ctx, argument, 'Resume Training', (isLive) => !isLive);
  if (folder === null) return false;
  const cwd = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder))?.uri.fsPath ?? dirname(folder);
  const by = { cwd, command: ['sql-agent', 'train', 'resume', folder] };
  const { ended } = await resumeTraining(folder, { by });
  const { panels, remember } = await opened(ctx, folder);
  const shown = panels.open(folder);
  await remember();
  void ended.then(() => shown.look());
  return true;
}

/** "Compare with…": draws a run that the user picks over the one that is meant. */
export async function compareTraining(ctx: Ctx, argument: unknown): Promise<void> {
  const trainings = await ctx.trainings();
  const folder = await folderFor(ctx, argument, 'Compare Training Runs', () => true);
  if (folder === null) return;
  const { runs } = await trainings.list();
  const others = runs.map(({ snapshot }) => snapshot).filter((other) => other.folder !== folder);
  if (others.length === 0) throw noOtherRun();
  const other = await pickTraining('Compare with…', others);
  if (other === null) return;
  trainings.panels.open(folder).compare(other);
  await trainings.remember(other);
}

/** "Reveal Folder": in the Explorer where it is in this window, else in the system's. */
export async function revealTraining(ctx: Ctx, argument: unknown): Promise<void> {
  const folder = await folderFor(ctx, argument, 'Reveal Folder', () => true);
  if (folder === null) return;
  const uri = vscode.Uri.file(resolve(folder));
  await stat(folder);
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  await vscode.commands.executeCommand(isInside ? 'revealInExplorer' : 'revealFileInOS', uri);
}
