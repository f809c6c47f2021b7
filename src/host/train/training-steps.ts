import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { runName } from '../../core/training/run-name.ts';
import { listModels } from '../../runtime/model/models.ts';
import type { TrainingChoices } from '../../runtime/trainer/settings.ts';
import type { Ctx } from '../ctx.ts';
import { whereabouts } from '../models/choices.ts';
import { pathForPeople } from '../runs/databases.ts';
import { type Left, type Place, pickStep, runSteps, type Step } from '../runs/steps.ts';
import { resultsFolderOf } from '../tests/results-folder.ts';
import { findTrainingData } from './data-files.ts';
import { trainingFolderOf, workspaceFolderFor } from './folders.ts';
import { askSettings, type TrainingDraft } from './settings-step.ts';

/** A run that was asked for. */
export interface TrainingOrder {
  choices: TrainingChoices;
  /** Absolute path of the run's folder; not there yet. */
  folder: string;
  cwd: string;
}

const FILES = { 'JSON lines': ['jsonl', 'gz'], 'All files': ['*'] };

async function choosePath(options: vscode.OpenDialogOptions): Promise<string | null> {
  return (await vscode.window.showOpenDialog(options))?.[0]?.fsPath ?? null;
}

async function askData(draft: TrainingDraft, place: Place): Promise<Left> {
  const known = (await findTrainingData()).map(({ fsPath }) => ({
    label: `$(file) ${basename(fsPath)}`,
    description: pathForPeople(dirname(fsPath)),
    path: fsPath as string | null,
  }));
  const browse = { label: '$(folder-opened) Browse…', detail: 'JSON lines of messages, or of questions and SQL' };
  const picked = await pickStep(place, 'The examples to learn from', [...known, { ...browse, path: null }]);
  if (typeof picked === 'string') return picked;
  const path = picked.path ?? (await choosePath({ title: 'Training Data', openLabel: 'Use File', filters: FILES }));
  if (path === null) return 'back';
  draft.data = path;
  return 'next';
}

interface BaseItem extends vscode.QuickPickItem {
  /** null: it is chosen in a dialog. */
  base: string | null;
  options?: vscode.OpenDialogOptions;
}

async function baseItems({ storage }: Ctx): Promise<BaseItem[]> {
  const here = (await listModels(storage)).filter(({ state }) => ['bundled', 'ready', 'unchecked'].includes(state));
  const models = here.map(
    (status): BaseItem => ({
      label: `$(chip) ${status.name}`,
      description: whereabouts(status),
      detail: `${status.title}: its base alone, for an adapter of your own`,
      base: status.name,
    }),
  );
  const gguf = { title: 'Base Model', openLabel: 'Use Model', filters: { GGUF: ['gguf'] } };
  const folder = { title: 'Base Model', openLabel: 'Use Folder', canSelectFiles: false, canSelectFolders: true };
  return [
    ...models,
    { label: '$(file) GGUF File…', detail: 'Llama, Qwen2.5 or Qwen3', base: null, options: gguf },
    {
      label: '$(folder) Hugging Face Folder…',
      detail: 'With config.json and safetensors',
      base: null,
      options: folder,
    },
  ];
}

async function askBase(ctx: Ctx, draft: TrainingDraft, place: Place): Promise<Left> {
  const picked = await pickStep<BaseItem>(place, 'The model to train an adapter for', await baseItems(ctx));
  if (typeof picked === 'string') return picked;
  const base = picked.base ?? (await choosePath(picked.options ?? {}));
  if (base === null) return 'back';
  draft.base = base;
  return 'next';
}

/** Asks what is to be trained, step by step. @returns null where the user left. @throws AppError `no_workspace_folder` */
export async function askForTraining(ctx: Ctx): Promise<TrainingOrder | null> {
  workspaceFolderFor('');
  const draft: TrainingDraft = {};
  const always = () => true;
  const steps: Step[] = [
    { isNeeded: always, ask: (place) => askData(draft, place) },
    { isNeeded: always, ask: (place) => askBase(ctx, draft, place) },
    { isNeeded: always, ask: (place) => askSettings(draft, place) },
  ];
  if (!(await runSteps('Train', steps)) || draft.base === undefined || draft.data === undefined) return null;
  const workspace = workspaceFolderFor(draft.data);
  const { base, data } = draft;
  const choices = { ...draft, base, data, results: resultsFolderOf(ctx, workspace) };
  const name = runName(base, data, new Date().toISOString());
  return { choices, folder: join(trainingFolderOf(ctx, workspace), name), cwd: workspace.uri.fsPath };
}
