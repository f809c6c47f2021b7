import * as vscode from 'vscode';
import { failureInWords } from '../../core/evals/item-words.ts';
import { inline } from '../../core/evals/report/markdown.ts';
import { toWireError } from '../../protocol/errors.ts';
import type { ItemRecord } from '../../protocol/eval.ts';
import type { Ctx } from '../ctx.ts';
import { Disposable } from '../disposable.ts';
import type { Trainings } from '../train/trainings.ts';
import { trainingItem, trainingsItem } from '../train/tree-items.ts';
import { countOutcomes, type RunEntry } from './entry.ts';
import { groupRuns, historyOf, type RunGroup } from './groups.ts';
import { outcomeLook, type RunLook, runLook, runTooltip } from './look.ts';
import { belowOutcome, belowRange, outcomeNodes, type RunNode } from './nodes.ts';
import type { Runs } from './runs.ts';

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/** The line of the training runs: the same object each time, so that it can be told to have changed. */
const TRAININGS: RunNode = { kind: 'trainings' };

/** The Runs view: training runs, datasets, their runs, what came of the items, the items. Each level is read when it is opened. */
export class RunsProvider extends Disposable {
  readonly #ctx: Ctx;
  readonly #runs: Runs;
  readonly #fire: (node: RunNode | undefined) => void;
  /** The lines of runs as the view has them, by id. */
  #shown = new Map<string, Extract<RunNode, { kind: 'run' }>>();

  readonly #trainings: Trainings;
  #hasTrainings = false;

  /** @param fire says that a line changed, or with undefined that all may have */
  constructor(ctx: Ctx, runs: Runs, trainings: Trainings, fire: (node: RunNode | undefined) => void) {
    super();
    this.#ctx = ctx;
    this.#runs = runs;
    this.#fire = fire;
    this.#trainings = trainings;
    this._register(runs.onDidChange((run) => this.#follow(run)));
    // The line itself comes with the first run.
    this._register(trainings.onDidChange(() => fire(this.#hasTrainings ? TRAININGS : undefined)));
  }

  /** A run that goes on changes its own line alone. */
  #follow(run: RunEntry | null): void {
    const node = run === null ? undefined : this.#shown.get(run.id);
    if (run !== null && node !== undefined) {
      node.run = run;
      node.group.runs = node.group.runs.map((other) => (other.id === run.id ? run : other));
    }
    this.#fire(node);
  }

  async getChildren(node?: RunNode): Promise<RunNode[]> {
    try {
      return node === undefined ? await this.#groups() : await this.#below(node);
    } catch (error) {
      this.#ctx.log.error('the Runs view cannot be filled', error);
      return [{ kind: 'problem', message: toWireError(error).message }];
    }
  }

  async #groups(): Promise<RunNode[]> {
    const { runs, problems } = await this.#runs.list();
    this.#shown = new Map();
    const groups = groupRuns(runs).map((group): RunNode => ({ kind: 'group', group }));
    const training = await this.#trainings.list();
    this.#hasTrainings = training.runs.length > 0;
    const said = [...problems, ...training.problems].map((message): RunNode => ({ kind: 'problem', message }));
    return [...(this.#hasTrainings ? [TRAININGS] : []), ...groups, ...said];
  }

  async #trainingNodes(): Promise<RunNode[]> {
    const { runs } = await this.#trainings.list();
    return runs.map(({ snapshot }) => ({ kind: 'training', snapshot }));
  }

  async #below(node: RunNode): Promise<RunNode[]> {
    switch (node.kind) {
      case 'trainings':
        return await this.#trainingNodes();
      case 'group':
        return node.group.runs.map((run) => this.#runNode(run, node.group));
      case 'run':
        return outcomeNodes(node.run, node.run.outcomes ?? countOutcomes(await this.#records(node.run)));
      case 'outcome':
        return belowOutcome(node.run, node.outcome, await this.#records(node.run));
      case 'range':
        return belowRange(node, await this.#records(node.run));
      default:
        return [];
    }
  }

  #runNode(run: RunEntry, group: RunGroup): RunNode {
    const node = { kind: 'run' as const, run, group };
    this.#shown.set(run.id, node);
    return node;
  }

  async #records(run: RunEntry): Promise<ItemRecord[]> {
    return await this.#runs.store.records(run);
  }

  getTreeItem(node: RunNode): vscode.TreeItem {
    switch (node.kind) {
      case 'group':
        return groupItem(node.group);
      case 'run':
        return runItem(node.run, node.group);
      case 'outcome':
        return outcomeItem(node);
      case 'range':
        return rangeItem(node);
      case 'item':
        return itemItem(node.run, node.record);
      case 'trainings':
        return trainingsItem();
      case 'training':
        return trainingItem(node.snapshot);
      case 'problem':
        return problemItem(node.message);
    }
  }
}

function itemOf(look: RunLook, state: vscode.TreeItemCollapsibleState): vscode.TreeItem {
  const item = new vscode.TreeItem(look.label, state);
  item.description = look.description;
  const colour = look.colour === null ? undefined : new vscode.ThemeColor(look.colour);
  item.iconPath = new vscode.ThemeIcon(look.icon, colour);
  item.accessibilityInformation = { label: look.said };
  return item;
}

function groupItem({ key, dataset, split, runs }: RunGroup): vscode.TreeItem {
  const label = split === null ? dataset : `${dataset} · ${split}`;
  const item = new vscode.TreeItem(label, Expanded);
  item.id = `group ${key}`;
  item.description = `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`;
  item.iconPath = new vscode.ThemeIcon('beaker');
  item.tooltip = split === null ? dataset : `${dataset}, split ${split}`;
  item.contextValue = 'group';
  return item;
}

function runItem(run: RunEntry, group: RunGroup): vscode.TreeItem {
  const history = historyOf(run, group);
  const item = itemOf(runLook(run, history), Collapsed);
  item.id = `run ${run.id}`;
  item.tooltip = new vscode.MarkdownString(runTooltip(run, history));
  item.contextValue = `run.${run.state}`;
  return item;
}

function outcomeItem({ run, outcome, count }: Extract<RunNode, { kind: 'outcome' }>): vscode.TreeItem {
  const item = itemOf(outcomeLook(outcome, count, run.done), Collapsed);
  item.id = `outcome ${run.id} ${outcome}`;
  return item;
}

function rangeItem({ run, outcome, first, last }: Extract<RunNode, { kind: 'range' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(`${first} to ${last}`, Collapsed);
  item.id = `range ${run.id} ${outcome} ${first}`;
  item.iconPath = new vscode.ThemeIcon('list-flat');
  return item;
}

function itemItem(run: RunEntry, record: ItemRecord): vscode.TreeItem {
  const { id, question, db_id, difficulty, outcome } = record;
  const item = new vscode.TreeItem(question.replaceAll(/\s+/g, ' ').trim() || id, None);
  item.id = `item ${run.id} ${id}`;
  item.description = [db_id, difficulty ?? ''].filter((part) => part !== '').join(' · ');
  item.iconPath = new vscode.ThemeIcon('question');
  const why = outcome === 'right' ? '' : `\n\n${inline(failureInWords(record, run.config.metric))}`;
  item.tooltip = new vscode.MarkdownString(`${inline(question)}${why}`);
  item.contextValue = 'item';
  item.command = { command: 'sqlAgent.openRunItem', title: 'Open Item', arguments: [run.id, id] };
  return item;
}

function problemItem(message: string): vscode.TreeItem {
  const item = new vscode.TreeItem(message, None);
  item.iconPath = new vscode.ThemeIcon('warning');
  item.tooltip = message;
  return item;
}
