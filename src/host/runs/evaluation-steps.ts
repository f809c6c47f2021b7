import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { countOf } from '../../core/signals/describe.ts';
import { SUITE_ENDING } from '../../protocol/dataset.ts';
import type { Ctx } from '../ctx.ts';
import type { ModelChoice } from '../models/choice.ts';
import { choiceInWords } from '../models/choice-words.ts';
import { findSuites } from '../tests/find.ts';
import { pathForPeople } from './databases.ts';
import { noWorkspaceFolder } from './errors.ts';
import { EvaluationDraft } from './evaluation-draft.ts';
import type { EvalOrder } from './live.ts';
import { type ModelItem, modelItems } from './model-items.ts';
import { type Left, type Place, pickStep, runSteps, type Step, typeStep } from './steps.ts';

const BROWSE = '$(folder-opened) Browse…';
const FILES = { Datasets: ['json', 'jsonl', 'csv'], 'All files': ['*'] };

/** How a picker's answer left its step; null where a line was picked. */
const leftOf = (picked: unknown): 'back' | 'cancel' | null =>
  picked === 'back' || picked === 'cancel' ? picked : null;

async function askDataset(ctx: Ctx, draft: EvaluationDraft, place: Place): Promise<Left> {
  const known = (await findSuites(ctx)).map(({ uri, databases }) => ({
    label: `$(beaker) ${basename(uri.fsPath)}`,
    description: pathForPeople(dirname(uri.fsPath)),
    detail: uri.path.endsWith(SUITE_ENDING) ? 'a suite of this folder' : 'named by the settings',
    path: uri.fsPath,
    databases,
  }));
  const browse = { label: BROWSE, detail: 'BIRD, Spider, JSON lines, CSV or a suite', path: null, databases: null };
  const picked = await pickStep(place, 'The file with the questions', [...known, { ...browse, description: '' }]);
  if (typeof picked === 'string') return picked;
  const chosen = picked.path ?? (await browseFile());
  if (chosen === null) return 'back';
  await draft.take(chosen, picked.databases);
  return 'next';
}

async function browseFile(): Promise<string | null> {
  const chosen = await vscode.window.showOpenDialog({ title: 'Dataset', openLabel: 'Use File', filters: FILES });
  return chosen?.[0]?.fsPath ?? null;
}

async function askDatabases(draft: EvaluationDraft, place: Place): Promise<Left> {
  for (;;) {
    const { missing, found } = draft;
    const choose = { label: '$(folder-opened) Choose Folder…', detail: 'The folder that holds <name>/<name>.sqlite' };
    const without = {
      label: '$(debug-step-over) Go on without them',
      detail: `${countOf(found, 'database')} found; items of the others are left out`,
    };
    const names = `${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}`;
    const said = `${countOf(missing.length, 'database')} not found: ${names}`;
    const picked = await pickStep(place, said, found === 0 ? [choose] : [choose, without]);
    if (typeof picked === 'string') return picked;
    draft.isPartial = picked === without;
    if (draft.isPartial) return 'next';
    const folder = await vscode.window.showOpenDialog({
      title: 'Folder with the databases',
      openLabel: 'Use Folder',
      canSelectFiles: false,
      canSelectFolders: true,
    });
    if (folder?.[0]) draft.databases = folder[0].fsPath;
    await draft.locate();
    if (draft.missing.length === 0) return 'next';
  }
}

async function askSplit(draft: EvaluationDraft, place: Place): Promise<Left> {
  const isSealed = draft.splits.some(({ sealed }) => sealed);
  const whole = {
    label: '$(list-flat) No split',
    description: isSealed ? 'all items but those of sealed splits' : 'all items',
    detail: '',
    split: null,
  };
  const items = draft.splits.map((split) => ({
    label: `$(${split.sealed ? 'lock' : 'list-selection'}) ${split.name}`,
    description: `${countOf(split.ids.length, 'item')} of ${countOf(split.databases.length, 'database')}`,
    detail: split.sealed ? 'sealed: opening it needs a reason, which is kept in the ledger' : '',
    split,
  }));
  const picked = await pickStep(place, 'Which items', [whole, ...items]);
  if (typeof picked === 'string') return picked;
  draft.split = picked.split;
  draft.reason = null;
  return 'next';
}

async function askReason(draft: EvaluationDraft, place: Place): Promise<Left> {
  const answer = await typeStep(place, `Why the sealed split "${draft.split?.name}" is opened; kept in the ledger`, {
    value: draft.reason ?? '',
    problemOf: (text) => (text === '' ? 'A reason is needed' : null),
  });
  if (typeof answer === 'string') return answer;
  draft.reason = answer.text;
  return 'next';
}

async function askModel(ctx: Ctx, draft: EvaluationDraft, place: Place): Promise<Left> {
  for (;;) {
    const items = await modelItems(ctx);
    const picked = await pickStep<ModelItem>(place, 'Which model answers', items);
    if (leftOf(picked) !== null || typeof picked === 'string') return leftOf(picked) ?? 'cancel';
    draft.model = picked.model;
    if (picked.model !== null) return 'next';
    await vscode.commands.executeCommand('sqlAgent.chooseModel');
  }
}

/** Numbers of items that are offered. */
const LIMITS = [50, 100] as const;
const OTHER = '$(edit) Another number…';

async function askLimit(draft: EvaluationDraft, place: Place): Promise<Left> {
  const { items } = draft;
  const all = { label: `$(list-flat) All ${countOf(items, 'item')}`, limit: null };
  const some = LIMITS.filter((limit) => limit < items).map((limit) => ({
    label: `$(list-selection) The first ${limit}`,
    limit: limit as number | null,
  }));
  const other = { label: OTHER, limit: null };
  const picked = await pickStep(place, 'How many items', items > 1 ? [all, ...some, other] : [all]);
  if (typeof picked === 'string') return picked;
  draft.limit = picked.limit;
  return picked === other ? await typeLimit(draft, place) : 'next';
}

async function typeLimit(draft: EvaluationDraft, place: Place): Promise<Left> {
  const { items } = draft;
  const isNumber = (text: string) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= items;
  const answer = await typeStep(place, `How many of the ${items} items, from the first`, {
    value: String(Math.min(items, 20)),
    problemOf: (text) => (isNumber(text) ? null : `A whole number from 1 to ${items}`),
  });
  if (answer === 'back') return await askLimit(draft, place);
  if (answer === 'cancel') return answer;
  draft.limit = Number(answer.text);
  return 'next';
}

/**
 * Asks what is to be evaluated, step by step.
 * @param model what answers; null: that is asked too
 * @returns null where the user left
 * @throws AppError where no folder is open, or a file is no dataset
 */
export async function askForEvaluation(ctx: Ctx, model: ModelChoice | null): Promise<EvalOrder | null> {
  if (!vscode.workspace.workspaceFolders?.some(({ uri }) => uri.scheme === 'file')) throw noWorkspaceFolder();
  const draft = new EvaluationDraft(ctx);
  draft.model = model;
  const always = () => true;
  const steps: Step[] = [
    { isNeeded: always, ask: (place) => askDataset(ctx, draft, place) },
    { isNeeded: () => draft.missing.length > 0, ask: (place) => askDatabases(draft, place) },
    { isNeeded: () => draft.splits.length > 0, ask: (place) => askSplit(draft, place) },
    { isNeeded: () => draft.split?.sealed === true, ask: (place) => askReason(draft, place) },
    { isNeeded: () => model === null, ask: (place) => askModel(ctx, draft, place) },
    { isNeeded: always, ask: (place) => askLimit(draft, place) },
  ];
  const title = model === null ? 'Run Evaluation' : `Evaluate ${choiceInWords(model)}`;
  return (await runSteps(title, steps)) ? await draft.order() : null;
}
