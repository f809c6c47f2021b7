import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Split } from '../../protocol/dataset.ts';
import { type LocatedDatabases, locateDatabases } from '../../runtime/evals/databases.ts';
import { type Dataset, loadDataset } from '../../runtime/evals/load-dataset.ts';
import { fits, readSplitFile, splitsPath } from '../../runtime/evals/splits.ts';
import type { Ctx } from '../ctx.ts';
import type { ModelChoice } from '../models/choice.ts';
import { evalWords } from '../tests/command-line.ts';
import { resultsFolderOf } from '../tests/results-folder.ts';
import { noWorkspaceFolder } from './errors.ts';
import type { EvalOrder } from './live.ts';

/** What the user has said so far of an evaluation to be run. */
export class EvaluationDraft {
  readonly #ctx: Ctx;
  #dataset: Dataset | null = null;
  #located: LocatedDatabases | null = null;
  /** Absolute path of the folder of databases; null: the usual ones. */
  databases: string | null = null;
  /** The user knows that databases are missing. */
  isPartial = false;
  splits: readonly Split[] = [];
  split: Split | null = null;
  /** Why a sealed split is opened. */
  reason: string | null = null;
  model: ModelChoice | null = null;
  /** null: all. */
  limit: number | null = null;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  get dataset(): Dataset {
    if (this.#dataset === null) throw new Error('no dataset was chosen');
    return this.#dataset;
  }

  /** Databases that items need and that were not found. */
  get missing(): readonly string[] {
    return this.#located?.missing ?? [];
  }

  /** Databases that were found. */
  get found(): number {
    return this.#located?.paths.size ?? 0;
  }

  /** @throws AppError where the file is no dataset */
  async take(path: string, databases: string | null): Promise<void> {
    this.#dataset = await loadDataset(path);
    this.databases = databases;
    this.isPartial = false;
    this.split = null;
    this.reason = null;
    const file = await readSplitFile(splitsPath(path));
    this.splits = file !== null && fits(file, this.#dataset) ? file.splits : [];
    await this.locate();
  }

  /** Looks for the databases. @throws AppError where the folder is none */
  async locate(): Promise<void> {
    const { dataset, databases } = this;
    this.#located = await locateDatabases(dataset.items, { dataset, root: databases, suite: false });
  }

  /** Items that the run would have without a limit. Those of sealed splits are left out of the whole. */
  get items(): number {
    if (this.split !== null) return this.split.ids.length;
    const sealed = new Set(this.splits.filter((split) => split.sealed).flatMap(({ ids }) => ids));
    return this.dataset.items.filter(({ id }) => !sealed.has(id)).length;
  }

  /** The workspace folder whose settings and results are meant. @throws AppError `no_workspace_folder` */
  get folder(): vscode.WorkspaceFolder {
    const uri = vscode.Uri.file(this.dataset.path);
    const local = vscode.workspace.workspaceFolders?.find((folder) => folder.uri.scheme === 'file');
    const folder = vscode.workspace.getWorkspaceFolder(uri) ?? local;
    if (folder === undefined) throw noWorkspaceFolder();
    return folder;
  }

  /** The evaluation. @throws AppError where the settings leave something open */
  async order(): Promise<EvalOrder> {
    const { dataset, databases, folder, split, reason, limit } = this;
    const model = this.model ?? (await this.#ctx.modelChoice());
    const settings = this.#ctx.config.ask(folder.uri);
    const results = resultsFolderOf(this.#ctx, folder);
    const words = [
      ...evalWords({ dataset: dataset.path, databases, ids: null, results, model, settings }),
      ...(split === null ? [] : ['--split', split.name]),
      ...(reason === null ? [] : ['--open-sealed', reason]),
      ...(limit === null ? [] : ['--limit', String(limit)]),
    ];
    const title = `Evaluation on ${basename(dataset.path)}`;
    return { words, cwd: folder.uri.fsPath, results, model, title };
  }
}
