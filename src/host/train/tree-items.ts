import { basename } from 'node:path';
import * as vscode from 'vscode';
import { isActive, stateInWords } from '../../core/training/words.ts';
import type { RunState } from '../../protocol/training-view.ts';
import { localModelOfBase } from '../../runtime/trainer/base-model.ts';
import type { RunSnapshot } from '../../runtime/trainer/run-reader.ts';
import { pathForPeople } from '../runs/databases.ts';
import { shortProgress } from './status-bar.ts';

const ICONS: Partial<Record<RunState, [icon: string, colour: string]>> = {
  done: ['pass', 'testing.iconPassed'],
  stopped: ['debug-pause', 'descriptionForeground'],
  failed: ['error', 'testing.iconFailed'],
  died: ['warning', 'testing.iconErrored'],
};

/** The line above all training runs. */
export function trainingsItem(): vscode.TreeItem {
  const item = new vscode.TreeItem('Training', vscode.TreeItemCollapsibleState.Expanded);
  item.id = 'trainings';
  item.iconPath = new vscode.ThemeIcon('pulse');
  item.contextValue = 'trainings';
  return item;
}

/** What menus know a run by. `done.answers`: the adapter of one whose base answers here. */
function contextOf({ state, run }: RunSnapshot): string {
  if (isActive(state)) return 'live';
  if (state !== 'done') return 'still';
  return run !== null && localModelOfBase(run) !== null ? 'done.answers' : 'done';
}

/** A training run in the Runs view; a click opens it. */
export function trainingItem(run: RunSnapshot): vscode.TreeItem {
  const { folder, state, status, message, given } = run;
  const item = new vscode.TreeItem(basename(folder), vscode.TreeItemCollapsibleState.None);
  const ended =
    status === null || status.step === 0 ? stateInWords(state) : `${stateInWords(state)}, step ${status.step}`;
  const [icon, colour] = ICONS[state] ?? ['sync~spin', 'charts.blue'];
  item.id = `training ${folder}`;
  item.description = isActive(state) ? shortProgress(run) : ended;
  item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(colour));
  item.tooltip = `${basename(given.model.base)} on ${basename(given.data.train)}\n${message}\n${pathForPeople(folder)}`;
  item.accessibilityInformation = { label: `${basename(folder)}, ${item.description}` };
  item.contextValue = `training.${contextOf(run)}`;
  item.command = { command: 'sqlAgent.openTraining', title: 'Open Training Run', arguments: [folder] };
  return item;
}
