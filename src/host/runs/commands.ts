import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import type { ModelChoice } from '../models/choice.ts';
import { runIdOf } from './argument.ts';
import type { RunEntry } from './entry.ts';
import { noRunsHere, nothingComparable, tooFewRuns } from './errors.ts';
import { comparableWith } from './groups.ts';
import { runAndTell } from './live.ts';
import { runLabel, shareInShort } from './look.ts';
import { pickRun } from './pick-run.ts';

const byDone = ({ done }: RunEntry) => done > 0;

/** The run that an argument means, else one that the user picks. @throws AppError where there is none */
async function runFor(ctx: Ctx, argument: unknown, title: string): Promise<RunEntry | undefined> {
  const { store } = await ctx.runs();
  const id = runIdOf(argument);
  if (id !== null) return await store.find(id);
  const { runs } = await store.list();
  if (!runs.some(byDone)) throw noRunsHere();
  return await pickRun(runs.filter(byDone), title, 'Which run, newest first');
}

/** "Open Report": of the run that a menu means, else of one that the user picks. */
export async function openReport(ctx: Ctx, argument: unknown): Promise<void> {
  const run = await runFor(ctx, argument, 'Open Report');
  if (run) await (await ctx.runs()).panels.openReport(run.id);
}

/** "Compare Runs…": two runs that the user picks, the second over the same dataset. The older one is A. */
export async function compareRuns(ctx: Ctx): Promise<void> {
  const { store } = await ctx.runs();
  const runs = (await store.list()).runs.filter(byDone);
  if (runs.length < 2) throw tooFewRuns(runs.length);
  const first = await pickRun(runs, 'Compare Runs (1/2)', 'One of the two runs, newest first');
  if (first) await compareRunWith(ctx, first.id, 'Compare Runs (2/2)');
}

/** "Compare with…": the run that a menu means, and one that the user picks. */
export async function compareRunWith(ctx: Ctx, argument: unknown, title: unknown): Promise<void> {
  const { store, panels } = await ctx.runs();
  const run = await runFor(ctx, argument, 'Compare with…');
  if (!run) return;
  const others = comparableWith(run, (await store.list()).runs);
  if (others.length === 0) throw nothingComparable(run.config.dataset.name);
  const heading = typeof title === 'string' ? title : 'Compare with…';
  const other = await pickRun(others, heading, `What ${runLabel(run)} (${shareInShort(run.share)}) is compared with`);
  if (!other) return;
  const [a, b] = run.started < other.started ? [run, other] : [other, run];
  await panels.openComparison(a.id, b.id);
}

/** Opens the panel of a run's item. */
export async function openRunItem(ctx: Ctx, run: unknown, item: unknown): Promise<void> {
  const id = runIdOf(run);
  if (id !== null && typeof item === 'string') await (await ctx.runs()).panels.openItem(id, item);
}

/** "Copy Run Id" */
export async function copyRunId(ctx: Ctx, argument: unknown): Promise<void> {
  const run = await runFor(ctx, argument, 'Copy Run Id');
  if (!run) return;
  await vscode.env.clipboard.writeText(run.id);
  vscode.window.setStatusBarMessage('$(check) Run id copied', 4000);
}

/** "Reveal Folder": in the Explorer where it is in this window, else in the system's. */
export async function revealRun(ctx: Ctx, argument: unknown): Promise<void> {
  const run = await runFor(ctx, argument, 'Reveal Folder');
  if (!run) return;
  const uri = vscode.Uri.file(run.folder);
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  await vscode.commands.executeCommand(isInside ? 'revealInExplorer' : 'revealFileInOS', uri);
}

/** "Resume": a run that was stopped or killed goes on; finished items are not asked again. */
export async function resumeRun(ctx: Ctx, argument: unknown): Promise<void> {
  ctx.requireTrust('Running evaluations');
  const { lives } = await ctx.runs();
  const run = await runFor(ctx, argument, 'Resume');
  if (!run) return;
  const { resumeWith } = await import('./resume.ts');
  await resumeWith(ctx, run, (order) => runAndTell(ctx, lives, order));
}

/** "Run Evaluation…": asks what is to be evaluated, and runs it. */
export async function runEvaluation(ctx: Ctx, model: ModelChoice | null = null): Promise<void> {
  ctx.requireTrust('Running evaluations');
  const { lives } = await ctx.runs();
  const { askForEvaluation } = await import('./evaluation-steps.ts');
  const order = await askForEvaluation(ctx, model);
  if (order === null) return;
  await vscode.commands.executeCommand('sqlAgent.runs.focus');
  await runAndTell(ctx, lives, order);
}

/** "Stop Evaluation": the one that a menu means, else the latest, after a look at it. */
export async function stopEvaluation(ctx: Ctx, argument: unknown): Promise<void> {
  const { lives } = await ctx.runs();
  const id = runIdOf(argument);
  const live = lives.running.findLast(({ entry }) => id === null || entry?.id === id);
  if (!live) return;
  if (id !== null) return live.stop();
  const stop = { label: '$(debug-stop) Stop', detail: 'Finished items are kept; "Resume" goes on with the others' };
  const show = { label: '$(list-tree) Show in the Runs view' };
  const name = live.entry === null ? live.title : runLabel(live.entry);
  const picked = await vscode.window.showQuickPick([stop, show], { title: 'Evaluation', placeHolder: name });
  if (picked === stop) live.stop();
  if (picked === show) await vscode.commands.executeCommand('sqlAgent.runs.focus');
}
