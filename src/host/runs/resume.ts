import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { modelTitle } from '../../core/evals/model-title.ts';
import type { RunFile } from '../../protocol/eval.ts';
import type { RunConfig } from '../../protocol/ledger.ts';
import { pathsOfRun, readRunFile } from '../../runtime/evals/run-folder.ts';
import { readSplitFile, splitsPath } from '../../runtime/evals/splits.ts';
import { type LocalModelName, readModelEntry } from '../../runtime/model/manifest.ts';
import { sha256OfFile } from '../../runtime/model/verified.ts';
import type { Ctx } from '../ctx.ts';
import { knownAdapters } from '../models/adapters.ts';
import type { ModelChoice } from '../models/choice.ts';
import { modelWords } from '../tests/command-line.ts';
import type { RunEntry } from './entry.ts';
import { adapterUnknown, modelElsewhere, scriptGone } from './errors.ts';
import type { EvalOrder } from './live.ts';
import { settingsWords } from './settings-words.ts';

/** The file of the adapter that a run was answered with; null: the model's own. @throws AppError `adapter_unknown` */
async function adapterOf(ctx: Ctx, name: LocalModelName, sha256: string | null): Promise<string | null> {
  if (sha256 === null || sha256 === readModelEntry(name).adapter.sha256) return null;
  for (const { path } of await knownAdapters(ctx)) if ((await sha256OfFile(ctx.storage, path)) === sha256) return path;
  throw adapterUnknown(name, sha256);
}

/** What asks the same as a run did. @throws AppError where that cannot be had here */
async function modelOf(ctx: Ctx, { model }: RunConfig): Promise<ModelChoice> {
  const { provider, name, server } = model;
  if (provider === 'openai' && server !== null) return { provider: 'openai', address: server, name };
  if (provider === 'local' && (name === 'small' || name === 'coder'))
    return { provider: 'local', name, adapter: await adapterOf(ctx, name, model.adapter) };
  if (provider !== 'scripted') throw modelElsewhere(name);
  const current = await ctx.modelChoice();
  if (current.provider !== 'scripted') throw scriptGone();
  return current;
}

/** The reason for opening a sealed split again; null where the split is open, undefined where the user left. */
async function reasonFor(dataset: string, { config }: RunFile): Promise<string | null | undefined> {
  const splits = config.split === null ? null : await readSplitFile(splitsPath(dataset));
  if (!splits?.splits.some(({ name, sealed }) => sealed && name === config.split?.name)) return null;
  return await vscode.window.showInputBox({
    title: `Resume: the split ${config.split?.name} is sealed`,
    prompt: 'Why it is opened again; the reason is kept in the ledger',
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? 'A reason is needed' : null),
  });
}

/**
 * Goes on with a run: what it began with is asked again of what is left.
 * @param begin runs the order; its file of ids is there meanwhile
 * @throws AppError where dataset, model or run are not to be had any more
 */
export async function resumeWith(ctx: Ctx, run: RunEntry, begin: (order: EvalOrder) => Promise<void>): Promise<void> {
  const file = await readRunFile(run.folder);
  const { dataset, databases } = pathsOfRun(run.folder, file);
  const model = await modelOf(ctx, file.config);
  const reason = await reasonFor(dataset, file);
  if (reason === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'sql-agent-resume-'));
  try {
    const ids = join(folder, 'ids.txt');
    await writeFile(ids, file.ids.map((id) => `${id}\n`).join(''));
    const { split } = file.config;
    const words = [
      ...['eval', '--jsonl', '--resume', '--out', run.folder, '--results', run.results],
      ...['--dataset', dataset, ...(databases === null ? [] : ['--db-root', databases]), '--ids', ids],
      ...(split === null ? [] : ['--split', split.name]),
      ...(reason === null ? [] : ['--open-sealed', reason]),
      ...modelWords(model),
      ...settingsWords(file.config),
    ];
    const title = `Evaluation of ${modelTitle(file.config.model)} goes on`;
    await begin({ words, cwd: dirname(run.results), results: run.results, model, title });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
